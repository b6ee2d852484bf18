"""Fits the polynomials of ErrorFunctions and GammaFunctions: Chebyshev interpolation of 60-digit
values, printed as Java arrays, the constant first. Needs mpmath; run it as it is."""
from mpmath import mp, mpf, erf, erfc, loggamma, digamma, chebyfit, sqrt, pi, exp, findroot, log, nstr

mp.dps = 60


def fit(name, f, low, high, terms):
    p = [float(c) for c in chebyfit(f, [low, high], terms)][::-1]
    worst = 0
    for i in range(1, 401):
        x = low + (high - low) * mpf(i) / 400
        worst = max(worst, abs(sum(mpf(c) * x**k for k, c in enumerate(p)) / f(x) - 1))
    print("// %s: relative error 2^%s" % (name, nstr(log(worst, 2), 4)))
    print("private static final double[] %s = {" % name)
    for c in p:
        print("    %s," % c.hex())
    print("};")


def near(f, at, x):
    """f(x), or the limit `at` where f divides zero by zero."""
    return at if abs(x) < mpf(10) ** -25 else f(x)


def scaled(t):
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


half = mpf(1) / 2
root = findroot(digamma, mpf("1.46163214496836234126"))
print("// ROOT %s, rest %s" % (float(root).hex(), float(root - mpf(float(root))).hex()))
fit("ERF_NEAR", lambda z: near(lambda y: erf(sqrt(y)) / sqrt(y) - 1, 2 / sqrt(pi) - 1, z), mpf(0), half**2, 10)
fit("ERFCX", scaled, (half - 4) / (half + 4), mpf(24) / 32, 23)
one = lambda u: near(lambda v: loggamma(1 + v) / v, -mp.euler, u)
fit("LGAMMA_LEFT", one, -half, mpf(0), 20)
fit("LGAMMA_ONE", one, mpf(0), half, 18)
fit("LGAMMA_TWO", lambda u: near(lambda v: loggamma(2 + v) / v, 1 - mp.euler, u), -half, half, 20)
fit("DIGAMMA_ONE", lambda v: digamma(v + 3 * half) / (v + 3 * half - root), -half, half, 23)
fit("DIGAMMA_TWO", lambda v: digamma(v + 5 * half), -half, half, 18)
