
// Derivatives of the logarithm of the gamma function, defined as on every device of Ebb: polynomials
// near the zero of digamma, recurrences to them, and asymptotic series far out.
template <int N>
__device__ __forceinline__ f64 polynomial(const f64 (&c)[N], f64 x) {
    f64 y = c[N - 1];
    for (int i = N - 2; i >= 0; i--) y = y * x + c[i];
    return y;
}

#define EBB_BERNOULLI                                                                            \
    const f64 bernoulli[10] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, \
        7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330}

// For arguments from one on.
__device__ __noinline__ f64 digamma_right(f64 x) {
    EBB_BERNOULLI;
    const f64 one[23] = {
        0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee98p-2, 0x1.eca189b8e6f6dp-3, -0x1.2feeeb98a78eap-3,
        0x1.8512e5903903ep-4, -0x1.fb44202a2306bp-5, 0x1.4de9aa1779d23p-5, -0x1.b9f8b11bfd3d0p-6,
        0x1.2564717896ec6p-6, -0x1.863563f44f303p-7, 0x1.03c0adafa529cp-7, -0x1.5a06a5d662cb4p-8,
        0x1.cd2011454fd05p-9, -0x1.336dbe66757c8p-9, 0x1.99d3f5c0cad5ep-10,
        -0x1.0fb38d217b800p-10, 0x1.6a3e76070c135p-11, -0x1.fd8e50abf2196p-12,
        0x1.53b23429da21bp-12, -0x1.2fae5cb379bf2p-13, 0x1.94e73cc9821e1p-14,
        -0x1.75c084e78a4cdp-13, 0x1.f255c4568ac4dp-14,
    };
    const f64 two[18] = {
        0x1.680425af12b5ep-1, 0x1.f62057f7296c9p-2, -0x1.e3bef327df0bbp-4, 0x1.31b4c4359dfc1p-5,
        -0x1.ac61ab99aa0c2p-7, 0x1.3bf9d580eca63p-8, -0x1.dfdf12a9e0a16p-10,
        0x1.72e0083e31eb9p-11, -0x1.21de1cbb6fb92p-12, 0x1.c872e1d080f68p-14,
        -0x1.692591f85a2a2p-15, 0x1.1eb450a1c8693p-16, -0x1.c88ea54caa83bp-18,
        0x1.6bdd21d1e0e15p-19, -0x1.1da25ea5c22dfp-20, 0x1.c8237f5d7ad8ap-22,
        -0x1.bc4331d5b7550p-23, 0x1.631998b999cb9p-24,
    };
    // the zero in two parts
    if (x <= 2) return (x - 0x1.762d86356be3fp+0 - 0x1.b86a722197829p-54) * polynomial(one, x - 1.5);
    f64 z = x, sum = 0;
    if (x < 10) {
        for (; z > 3; sum += 1 / z) z -= 1;
        return polynomial(two, z - 2.5) + sum;
    }
    if (x == F64_INFINITY) return x;
    const f64 square = x * x;
    f64 power = square;
    for (int k = 1; k <= 10; k++) {
        sum += bernoulli[k - 1] / (2 * k * power);
        power *= square;
    }
    return log(x) - (0.5 / x + sum);
}

__device__ __forceinline__ f64 digamma_positive(f64 x) {
    return x < 1 ? digamma_right(x + 1) - 1 / x : digamma_right(x);
}

__device__ __noinline__ f64 digamma(f64 x) {
    const f64 pi = 3.141592653589793;
    if (x != x) return x;
    if (x == 0) return negative(x) ? F64_INFINITY : -F64_INFINITY;
    if (x > 0) return digamma_positive(x);
    const f64 off = x - rint(x), far = fabs(off);
    if (!(far > 0)) return F64_NAN;
    const f64 cotangent = far <= 0.25 ? 1 / tan(pi * off) : copysign(tan(pi * (0.5 - far)), off);
    return digamma_positive(1 - x) - pi * cotangent;
}

// The sum of (q + k) to the power of -s over all k from 0 on.
__device__ __noinline__ f64 zeta(int s, f64 q) {
    EBB_BERNOULLI;
    const f64 far = 10 + s;
    const int terms = q < far ? (int)ceil(far - q) : 0;
    const f64 z = q + terms, power = pow(z, (f64)-s);
    f64 tail = 0, rising = s, factorial = 2, step = power / z;
    for (int k = 1; k <= 10; k++) {
        tail += bernoulli[k - 1] * rising / factorial * step;
        rising *= (s + 2.0 * k - 1) * (s + 2.0 * k);
        factorial *= (2.0 * k + 1) * (2.0 * k + 2);
        step /= z * z;
    }
    f64 sum = tail + power / 2 + power * z / (s - 1);
    for (int k = terms - 1; k >= 0; k--) sum += pow(q + k, (f64)-s);
    return sum;
}

// The n-th derivative of digamma.
__device__ __noinline__ f64 fn_polygamma(f64 order, f64 x) {
    const int n = to_i32(order);
    if (x != x || n < 0) return F64_NAN;
    if (n == 0) return digamma(x);
    const bool odd = n % 2 == 1;
    f64 factorial = 1;
    for (int i = 2; i <= n; i++) factorial *= i;
    const f64 scale = odd ? factorial : -factorial;
    if (x == F64_INFINITY) return odd ? 0.0 : -0.0;
    if (x == -F64_INFINITY) return F64_NAN;
    if (x >= 0.5) return scale * zeta(n + 1, x);
    const f64 off = x - rint(x);
    if (off == 0) {
        if (odd) return F64_INFINITY;
        return x != 0 ? F64_NAN : negative(x) ? F64_INFINITY : -F64_INFINITY;
    }
    const f64 right = pow(off, (f64)-(n + 1)) + zeta(n + 1, 1 + off);
    const f64 left = zeta(n + 1, 1 - off) - zeta(n + 1, 1 - x);
    return scale * (odd ? right + left : right - left);
}
__device__ __forceinline__ f32 fn_polygamma(f32 n, f32 x) { return (f32)fn_polygamma((f64)n, (f64)x); }
