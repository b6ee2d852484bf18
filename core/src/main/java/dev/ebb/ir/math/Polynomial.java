package dev.ebb.ir.math;

/**
 * The polynomials of the elementary functions in double, the constant first. They interpolate
 * 60-digit values at Chebyshev nodes ({@code f64_fits.py} and {@code special_fits.py} beside the
 * tests).
 */
public enum Polynomial {
    /** (e^r - 1 - r - r^2/2) / r^3 for |r| up to ln(2)/2. */
    EXP(
            0x1.5555555555556p-3,
            0x1.5555555555555p-5,
            0x1.11111111109a6p-7,
            0x1.6c16c16c167dap-10,
            0x1.a01a01a7cebcdp-13,
            0x1.a01a01a48116fp-16,
            0x1.71de0d85293b8p-19,
            0x1.27e4e1dcf773bp-22,
            0x1.af390ba7e6f47p-26,
            0x1.1f6717774d5e0p-29),

    /** (log((1 + s) / (1 - s)) / s - 2) / s^2 in s^2, for the ratio from sqrt(1/2) to sqrt(2). */
    LOG(
            0x1.5555555555558p-1,
            0x1.99999999952d7p-2,
            0x1.2492492df281ap-2,
            0x1.c71c62e3f11e6p-3,
            0x1.7462b51cb66b1p-3,
            0x1.39fe51a7c18f9p-3,
            0x1.2b5900de53b32p-3),

    /** ({@link #LOG} - 2/3) / s^2 in s^2, to more digits. */
    FIFTH(
            0x1.999999999999ap-2,
            0x1.2492492492491p-2,
            0x1.c71c71c71cfd9p-3,
            0x1.745d174513593p-3,
            0x1.3b13b1bc75cd4p-3,
            0x1.1110dfad0f8eap-3,
            0x1.e1f7fa7547177p-4,
            0x1.ac4a89c964b82p-4,
            0x1.b8d433113b7fap-4),

    /** (1 - sin(r)/r) / r^2 in r^2 for |r| up to pi/4. */
    SINE(
            0x1.5555555555555p-3,
            -0x1.1111111111110p-7,
            0x1.a01a01a019937p-13,
            -0x1.71de3a54607a5p-19,
            0x1.ae64541295cdfp-26,
            -0x1.61217ee5cca1bp-33,
            0x1.ab17bdcbd3414p-41),

    /** (cos(r) - 1 + r^2/2) / r^4 in r^2. */
    COSINE(
            0x1.5555555555555p-5,
            -0x1.6c16c16c16967p-10,
            0x1.a01a019f4e9b4p-16,
            -0x1.27e4fa17bf139p-22,
            0x1.1eeb68cd22f56p-29,
            -0x1.907d8f29fe831p-37),

    /** (atan(t)/t - 1) / t^2 in t^2 for |t| up to tan(pi/8). */
    ATAN(
            -0x1.5555555555555p-2,
            0x1.9999999999953p-3,
            -0x1.249249248d7dcp-3,
            0x1.c71c71c303dbbp-4,
            -0x1.745d165dc9713p-4,
            0x1.3b1392d519db1p-4,
            -0x1.110e87b4357d2p-4,
            0x1.e19a0bfa3eef9p-5,
            -0x1.ac7a5a79b3f26p-5,
            0x1.74dccfb93fff0p-5,
            -0x1.1b311bb48c215p-5,
            0x1.0acd9e91a5a35p-6),

    /** erf(x) / x - 1 in x^2, for |x| up to 1/2. */
    ERF_NEAR(
            0x1.06eba8214db69p-3,
            -0x1.812746b0379e6p-2,
            0x1.ce2f21a042b29p-4,
            -0x1.b82ce3127f739p-6,
            0x1.565bcd0aa6349p-8,
            -0x1.c02db23d41138p-11,
            0x1.f9a2a6635fe79p-14,
            -0x1.f4bb9f7301dedp-17,
            0x1.b776442df3041p-20,
            -0x1.39fb524e9c1f7p-23),

    /** (1 + 2x) exp(x^2) erfc(x) in (x - 4) / (x + 4), for x from 1/2 to 28. */
    ERFCX(
            0x1.3ba5916e9fd7fp+0,
            -0x1.1df1ad154a28ep-3,
            0x1.f7f5df66fd76dp-7,
            0x1.16ecefcfa52b5p-4,
            -0x1.9ddb23c3e8e00p-4,
            0x1.7fee004e14c37p-4,
            -0x1.0fb06dfe4e4f9p-4,
            0x1.3079edf61e7a1p-5,
            -0x1.09623883f080cp-6,
            0x1.49c672aa08182p-8,
            -0x1.8d4a9b1376eaep-11,
            -0x1.a1df44d0d357ap-13,
            0x1.3be055036ec36p-13,
            -0x1.9954dbbbdf343p-16,
            -0x1.788966f85ff88p-17,
            0x1.7ef4d531cf830p-18,
            0x1.3abf792a3125dp-22,
            -0x1.b7f86449a0aa8p-21,
            0x1.43dc50b7baccdp-24,
            0x1.bb7be885c5a0bp-24,
            -0x1.3c396538d8d44p-26,
            -0x1.4ba5c49bc26a7p-27,
            0x1.0eff5654f9fd0p-29);

    @SuppressWarnings("ImmutableEnumChecker") // never written, and handed out as a copy
    private final double[] coefficients;

    Polynomial(double... coefficients) {
        this.coefficients = coefficients;
    }

    public double[] coefficients() {
        return coefficients.clone();
    }

    /**
     * Its value: that of its even and that of its odd terms, each by Horner's rule in the square,
     * so that a step need not wait for the one before.
     */
    double at(double x) {
        var c = coefficients;
        double z = x * x;
        int top = (c.length - 1) / 2 * 2;
        double even = c[top];
        double odd = top + 1 < c.length ? c[top + 1] : 0;
        int i = top - 2;
        for (; i > 6; i -= 2) {
            even = Math.fma(even, z, c[i]);
            odd = Math.fma(odd, z, c[i + 1]);
        }
        // the last steps are written out: a loop of so few would take as long again
        if (i == 6) {
            even = Math.fma(even, z, c[6]);
            odd = Math.fma(odd, z, c[7]);
        }
        if (i >= 4) {
            even = Math.fma(even, z, c[4]);
            odd = Math.fma(odd, z, c[5]);
        }
        if (i >= 2) {
            even = Math.fma(even, z, c[2]);
            odd = Math.fma(odd, z, c[3]);
        }
        if (i >= 0) {
            even = Math.fma(even, z, c[0]);
            odd = Math.fma(odd, z, c[1]);
        }
        return Math.fma(odd, x, even);
    }
}
