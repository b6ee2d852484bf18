"""Writes special.txt: arguments and values of scalar functions, each to 40 digits. A line is
`name argument... value bound`; arguments are doubles, half of them floats, and the bound is how many
units in the last place of the value an f64 result may be off. Needs mpmath; run it in this folder."""
import random
import struct
from mpmath import *

mp.dps = 400  # sin(1e22), and erfc(26) = 1 - erf(26), want them
random.seed(7)
LINES = []


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def spread(low, high, count):
    """Magnitudes from `low` to `high`, evenly spaced in the logarithm."""
    step = (log(mpf(high)) - log(mpf(low))) / (count - 1)
    return [float(exp(log(mpf(low)) + i * step) * (1 + mpf(random.random()) / 50)) for i in range(count)]


def even(low, high, count):
    return [low + (high - low) * (i + random.random()) / count for i in range(count)]


def both(xs):
    return [-x for x in xs] + list(xs)


def mixed(xs):
    """Every other argument as a float."""
    out = []
    for i, x in enumerate(xs):
        out.append(as_float(x) if i % 2 == 0 and abs(x) < 3e38 and (x == 0 or abs(x) > 1e-37) else x)
    return out


def row(name, arguments, value, bound=4):
    number = nstr(value, 40, min_fixed=0, max_fixed=0)
    LINES.append(" ".join([name] + [repr(a) for a in arguments] + [number, nstr(mpf(bound), 6, min_fixed=-9, max_fixed=9)]))


def each(name, f, xs, bound=lambda x, y: 4):
    for x in mixed(xs):
        y = f(mpf(x))
        if abs(y) < mpf(10) ** 308 and (y == 0 or abs(y) > mpf(10) ** -305):
            row(name, [x], y, bound(mpf(x), y))


def pairs(name, f, points, bound=lambda x, y, z: 4):
    for i, (x, y) in enumerate(points):
        if i % 2 == 0:
            x, y = as_float(x), as_float(y)
        z = f(mpf(x), mpf(y))
        if abs(z) < mpf(10) ** 308 and (z == 0 or abs(z) > mpf(10) ** -305):
            row(name, [x, y], z, bound(mpf(x), mpf(y), z))


def left_of_zero(x, y):
    return 4 if x > -0.5 else 4 * max(1, abs(loggamma(1 - x)) / abs(y), 2 / abs(y))


def digamma_bound(x, y):
    return 4 if x > 0 else 8 * max(1, abs(digamma(1 - x)) / abs(y), abs(pi * cot(pi * x)) / abs(y))


def hurwitz(n):
    # what polygamma(n) left of zero adds up: all its terms with one sign
    def bound(x, y):
        if x > 0 or n % 2 == 1:
            return 16
        off = x - nint(x)
        terms = abs(off) ** -(n + 1) + zeta(n + 1, 1 + off) + zeta(n + 1, 1 - off)
        return 16 * factorial(n) * terms / abs(y)

    return bound


line = both(spread(1e-8, 1, 15)) + both(even(0.0, 8.0, 20))
wide = both(spread(1e-300, 1e300, 24)) + both(spread(1e-3, 1e3, 20))
positive = spread(1e-300, 1e300, 30) + spread(0.3, 3.0, 30) + even(0.99, 1.01, 10)
unit = both(spread(1e-12, 0.9, 20)) + both(1 - x for x in spread(1e-12, 0.2, 15))
exponents = both(even(0.0, 700.0, 30)) + line
angles = line + both(spread(8.0, 1e22, 20)) + [1.5707963267948966, 3.141592653589793, 22.0, 355.0, 1e22]

each("exp", exp, exponents)
each("expm1", expm1, exponents)
each("log", log, positive)
each("log1p", log1p, positive + both(spread(1e-12, 0.9, 20)) + [-0.999, -0.999999])
each("log2", lambda x: log(x) / log(mpf(2)), positive + [2.0**29, 2.0**-31, 0.5, 8.0])
each("sqrt", sqrt, positive)
each("rsqrt", lambda x: 1 / sqrt(x), positive)
each("reciprocal", lambda x: 1 / x, wide)
each("sin", sin, angles)
each("cos", cos, angles)
each("tan", tan, angles)
each("asin", asin, unit)
each("acos", acos, unit)
each("atan", atan, wide)
each("sinh", sinh, exponents)
each("cosh", cosh, exponents)
each("tanh", tanh, line + both(even(8.0, 30.0, 5)))
each("asinh", asinh, wide)
each("acosh", acosh, [1 + x for x in spread(1e-12, 10.0, 25)] + spread(10.0, 1e300, 25))
each("atanh", atanh, unit)
each("erf", erf, line)
each("erfc", erfc, line + even(0.4, 6.0, 40) + even(6.0, 26.4, 40) + even(-6.0, -0.4, 10))
each("erfinv", erfinv, unit + both(even(0.4, 1.0, 40)))
each("lgamma", lambda x: re(loggamma(x)), spread(1e-300, 1e300, 30) + even(0.0, 14.0, 80) + [0.9999, 1.0001, 1.99999, 2.00001]
     + [-x for x in spread(1e-10, 0.5, 10)] + even(-12.0, -0.5, 40) + [-100.3, -1000.7, -12345.6], left_of_zero)
each("digamma", digamma, spread(1e-300, 1e300, 30) + even(0.0, 14.0, 80) + [1.4616, 1.4616321, 1.461632144968362]
     + [-x for x in spread(1e-10, 0.5, 10)] + even(-12.0, -0.5, 40) + [-100.3, -1000.7, -12345.6], digamma_bound)
for n in (1, 2, 5):
    each("polygamma%d" % n, lambda x: psi(n, x), spread(1e-20, 1e20, 20) + even(0.0, 14.0, 30) + even(-8.0, 0.0, 20), hurwitz(n))

phi = lambda x: erfc(-x / sqrt(mpf(2))) / 2
each("sigmoid", lambda x: 1 / (1 + exp(-x)), exponents)
each("log_sigmoid", lambda x: -log1p(exp(-x)), exponents)
each("softplus", lambda x: log1p(exp(x)), exponents)
each("silu", lambda x: x / (1 + exp(-x)), exponents)
each("mish", lambda x: x * tanh(log1p(exp(x))), exponents, lambda x, y: 8)
each("gelu", lambda x: x * phi(x), line + even(-30.0, 0.0, 40), lambda x, y: 4 if x > 0 else 4 + 2 * x * x)
gate = lambda x: 2 * sqrt(2 / pi) * (x + mpf("0.044715") * x**3)
each("gelu_tanh", lambda x: x / (1 + exp(-gate(x))), line + even(-12.0, 0.0, 20), lambda x, y: 4 if x > 0 else 4 - 3 * gate(x))
each("elu", lambda x: x if x > 0 else expm1(x), exponents)
each("softsign", lambda x: x / (1 + abs(x)), wide)

grid = [(a, b) for a in spread(1e-3, 1e3, 9) for b in both(spread(1e-2, 30.0, 6))]
pairs("pow", lambda x, y: x**y, grid + [(x, 1 / (x - 1)) for x in spread(1.0001, 1.5, 10)])
pairs("atan2", lambda x, y: atan2(x, y), [(s * a, b) for a, b in grid for s in (1, -1)])
pairs("hypot", lambda x, y: sqrt(x * x + y * y), grid + [(3e200, 4e200), (3e-200, 4e-200)])
pairs("logaddexp", lambda x, y: log(exp(x) + exp(y)), [(a - b, b) for a, b in grid],
      lambda x, y, z: 4 * max(1, max(abs(x), abs(y), 1) / abs(z)))
pairs("xlogy", lambda x, y: x * log(y), [(b, a) for a, b in grid])

with open("special.txt", "w") as out:
    out.write("\n".join(LINES) + "\n")
