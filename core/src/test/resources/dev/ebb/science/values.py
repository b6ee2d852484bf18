"""Writes values.txt: arguments and values of functions of dev.ebb.science, each to 40 digits. A line is
`name argument... value tolerance`; arguments are doubles, and the tolerance is what an f64 result may be
off, absolutely. Needs mpmath; run it in this folder."""
import random
from mpmath import *

mp.dps = 60
random.seed(11)
LINES = []


def spread(low, high, count):
    step = (log(mpf(high)) - log(mpf(low))) / (count - 1)
    return [float(exp(log(mpf(low)) + i * step) * (1 + mpf(random.random()) / 50)) for i in range(count)]


def even(low, high, count):
    return [low + (high - low) * (i + random.random()) / count for i in range(count)]


def row(name, arguments, value, tolerance):
    LINES.append(" ".join([name] + [repr(a) for a in arguments]
                          + [nstr(value, 40, min_fixed=0, max_fixed=0), nstr(mpf(tolerance), 5)]))


EPS = mpf(2) ** -52
phi = lambda x: exp(-x * x / 2) / sqrt(2 * pi)
mp.dps = 400
Phi = lambda x: erfc(-x / sqrt(mpf(2))) / 2

for x in even(-37.0, 37.0, 60) + even(-3.0, 3.0, 30):
    row("normal_density", [x], phi(mpf(x)), phi(mpf(x)) * EPS * (2 + x * x / 2))
    row("normal_log_density", [x], log(phi(mpf(x))), abs(log(phi(mpf(x)))) * EPS * 2 + EPS)
    row("normal_distribution", [x], Phi(mpf(x)), Phi(mpf(x)) * EPS * (4 + (x * x if x < 0 else 0)))
for x in even(-37.0, 8.0, 60) + even(-3.0, 3.0, 30) + [-35.0, -34.9, -35.1, -12.0] + [-40.0, -60.0, -100.0]:
    y = log(Phi(mpf(x)))
    row("normal_log_distribution", [x], y, abs(y) * EPS * (4 + (x * x if x > 0 else 0)))


def quantile(p):
    q = min(p, 1 - p)
    x = -sqrt(2) * erfinv(1 - 2 * q) if q > 1e-10 else -sqrt(-2 * log(q))
    for _ in range(60):
        step = (Phi(x) - q) / phi(x)
        step = step / (1 + x * step / 2)
        x = x - step
        if abs(step) < mpf(10) ** -100:
            break
    return x if p < 0.5 else -x


for p in spread(1e-290, 0.4, 40) + even(0.0, 1.0, 40) + [1 - x for x in spread(1e-14, 0.1, 10)] + [0.5 + x for x in spread(1e-12, 0.1, 8)]:
    y = quantile(mpf(p))
    row("normal_quantile", [p], y, abs(y) * EPS * 4)

mp.dps = 60
for a in spread(0.05, 200.0, 14):
    for x in spread(a / 20, a * 6, 7):
        low = gammainc(mpf(a), 0, mpf(x), regularized=True)
        high = gammainc(mpf(a), mpf(x), inf, regularized=True)
        bound = EPS * (40 + 4 * a + 4 * x)
        if low > mpf(10) ** -290:
            row("gamma_lower", [a, x], low, low * bound)
        if high > mpf(10) ** -290:
            row("gamma_upper", [a, x], high, high * bound)
for a in spread(0.1, 80.0, 6):
    for b in spread(0.1, 80.0, 6):
        for x in (0.01, 0.3, 0.5, 0.77, 0.995):
            y = betainc(mpf(a), mpf(b), 0, mpf(x), regularized=True)
            if y > mpf(10) ** -290:
                near = x < (a + 1) / (a + b + 2)  # else it is one less the other tail
                row("beta", [a, b, x], y, (y if near else 1) * EPS * (40 + 8 * (a + b) - 4 * log(y)))
for x in even(0.0, 30.0, 60) + spread(1e-6, 1.0, 8) + spread(30.0, 1e6, 20):
    wave = EPS * (2 + 0 * x)
    row("bessel_j0", [x], besselj(0, mpf(x)), wave)
    row("bessel_j1", [x], besselj(1, mpf(x)), wave)
    row("bessel_i0_scaled", [x], besseli(0, mpf(x)) * exp(-mpf(x)), besseli(0, mpf(x)) * exp(-mpf(x)) * EPS * 8)
    row("bessel_i1_scaled", [x], besseli(1, mpf(x)) * exp(-mpf(x)), besseli(1, mpf(x)) * exp(-mpf(x)) * EPS * 8)
    if x < 700:
        row("bessel_i0", [x], besseli(0, mpf(x)), besseli(0, mpf(x)) * EPS * 10)
        row("bessel_i1", [-x], -besseli(1, mpf(x)), besseli(1, mpf(x)) * EPS * 10)

# derivatives by shapes, of the smaller tail, which has all its digits
for a in spread(1e-4, 200.0, 10):
    for x in spread(a / 20, a * 6, 5) + [0.2, 0.35]:
        tail = (0, mpf(x)) if x < a else (mpf(x), inf)
        y = diff(lambda t: gammainc(t, *tail, regularized=True), mpf(a))
        y = y if x < a else -y
        if abs(y) > mpf(10) ** -290:
            row("gamma_by_shape", [a, x], y, abs(y) * EPS * (120 + 4 * a + 4 * x))
for a in spread(0.01, 80.0, 5):
    for b in spread(0.01, 80.0, 5):
        for x in (0.01, 0.5, 0.77, 0.995):
            share = lambda p, q: (betainc(p, q, 0, mpf(x), regularized=True) if x < a / (a + b)
                                  else -betainc(q, p, 0, 1 - mpf(x), regularized=True))
            # parts of both signs where one shape is far below one and the other far above
            bound = EPS * (120 + 8 * (a + b) - 4 * log(abs(share(mpf(a), mpf(b)))) + 16 / (1 - mpf(x)))
            bound = bound * (1 + sqrt(mpf(max(a, b)) / min(a, b)))
            by_first = diff(lambda t: share(t, mpf(b)), mpf(a))
            by_second = diff(lambda t: share(mpf(a), t), mpf(b))
            if abs(by_first) > mpf(10) ** -290:
                row("beta_by_first", [a, b, x], by_first, abs(by_first) * bound)
            if abs(by_second) > mpf(10) ** -290:
                row("beta_by_second", [a, b, x], by_second, abs(by_second) * bound)

with open("values.txt", "w") as out:
    out.write("\n".join(LINES) + "\n")
