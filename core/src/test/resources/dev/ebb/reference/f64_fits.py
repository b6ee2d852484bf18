"""Fits the polynomials of Elementary and Waves: Chebyshev interpolation of 60-digit values, printed
as Java constants, the constant term first. Needs mpmath; run it as it is."""
from mpmath import mp, mpf, chebyfit, sqrt, pi, exp, log, sin, cos, atan, nstr

mp.dps = 60


def fit(letter, what, f, low, high, terms, weight):
    """Prints the error of the function that is built from f, which enters it with this weight."""
    p = [float(c) for c in chebyfit(f, [low, high], terms)][::-1]
    worst = 0
    for i in range(1, 401):
        x = low + (high - low) * mpf(i) / 400
        worst = max(worst, abs(sum(mpf(c) * x**k for k, c in enumerate(p)) - f(x)) * abs(weight(x)))
    print("/** %s; relative error 2^%s of the whole. */" % (what, nstr(log(worst, 2), 4)))
    for k, c in enumerate(p):
        print("static final double %s%d = %s;" % (letter, k, c.hex()))


def near(f, at, x):
    """f(x), or the limit `at` where f divides zero by zero."""
    return at if abs(x) < mpf(10) ** -15 else f(x)


def parts(name, x, bits):
    """x as a sum of doubles of so many bits."""
    for i, b in enumerate(bits):
        m, e = mp.frexp(x)
        p = mp.nint(m * 2**b) * mpf(2) ** (e - b)
        print("static final double %s_%d = %s;" % (name, i, float(p).hex()))
        x -= p


def logarithm(z):
    """log((1 + s) / (1 - s)) / s in z = s^2."""
    s = sqrt(z)
    return log((1 + s) / (1 - s)) / s


edge = log(2) / 2 * mpf("1.001")
fit("E", "(e^r - 1 - r - r^2/2) / r^3", lambda r: near(lambda x: (exp(x) - 1 - x - x * x / 2) / x**3, mpf(1) / 6, r),
    -edge, edge, 10, lambda r: r**3 / exp(r))
most = (sqrt(mpf(2)) - 1) ** 2 / (sqrt(mpf(2)) + 1) ** 2 * mpf("1.0001")
fit("L", "(log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2", lambda z: near(lambda y: (logarithm(y) - 2) / y, mpf(2) / 3, z),
    mpf(0), most, 7, lambda z: z / 2)
quarter = (pi / 4) ** 2 * mpf("1.0001")
fit("S", "(1 - sin(r)/r) / r^2 in r^2", lambda z: near(lambda y: (1 - sin(sqrt(y)) / sqrt(y)) / y, mpf(1) / 6, z),
    mpf(0), quarter, 7, lambda z: z)
fit("C", "(cos(r) - 1 + r^2/2) / r^4 in r^2", lambda z: near(lambda y: (cos(sqrt(y)) - 1 + y / 2) / y**2, mpf(1) / 24, z),
    mpf(0), quarter, 6, lambda z: z * z * sqrt(mpf(2)))
eighth = (sqrt(mpf(2)) - 1) ** 2 * mpf("1.0001")
fit("A", "(atan(t)/t - 1) / t^2 in t^2", lambda z: near(lambda y: (atan(sqrt(y)) / sqrt(y) - 1) / y, -mpf(1) / 3, z),
    mpf(0), eighth, 12, lambda z: z)
fit("P", "((log((1 + s) / (1 - s)) / s - 2) / s^2 - 2/3) / s^2 in s^2",
    lambda z: near(lambda y: ((logarithm(y) - 2) / y - mpf(2) / 3) / y, mpf(2) / 5, z), mpf(0), most, 9, lambda z: z * z / 2)
parts("LN2", log(2), [32, 53])
parts("TWO_THIRDS", mpf(2) / 3, [53, 53])
parts("HALF_PI", pi / 2, [53, 53, 53])
parts("QUARTER_PI", pi / 4, [53, 53])
parts("TWO_OVER_PI", 2 / pi, [53])
parts("LOG2_E", 1 / log(2), [53])
