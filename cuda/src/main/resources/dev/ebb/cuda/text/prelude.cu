// The beginning of every generated kernel: element types, loads and stores of several elements at
// once, and the scalar functions, defined as on every device of Ebb.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

struct bf16 {
    u16 bits;
};

struct f16 {
    u16 bits;
};

template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
    T at[N];
};

template <int N, class T>
__device__ __forceinline__ Pack<T, N> load(const T* p) {
    return *reinterpret_cast<const Pack<T, N>*>(p);
}

template <int N, class T>
__device__ __forceinline__ void store(T* p, const Pack<T, N>& x) {
    *reinterpret_cast<Pack<T, N>*>(p) = x;
}

// The first n of N contiguous elements.
template <int N, class T>
__device__ __forceinline__ Pack<T, N> load(const T* p, int n) {
    if (n >= N) return load<N>(p);
    Pack<T, N> x = {};
#pragma unroll
    for (int e = 0; e < N; e++)
        if (e < n) x.at[e] = p[e];
    return x;
}

template <int N, class T>
__device__ __forceinline__ void store(T* p, const Pack<T, N>& x, int n) {
    if (n >= N) {
        store<N>(p, x);
        return;
    }
#pragma unroll
    for (int e = 0; e < N; e++)
        if (e < n) p[e] = x.at[e];
}

// The first n of N elements with a stride.
template <int N, class T>
__device__ __forceinline__ Pack<T, N> strided(const T* p, i64 step, int n) {
    Pack<T, N> x = {};
#pragma unroll
    for (int e = 0; e < N; e++)
        if (e < n) x.at[e] = p[e * step];
    return x;
}

__device__ __forceinline__ bool bit(const u8* p, i64 i) {
    return p[i >> 3] >> (i & 7) & 1;
}

#ifndef EBB_HOST
// Dynamic shared memory; the launch sets its size.
#define EBB_SHARED(name) extern __shared__ __align__(1024) u8 name[]

// Lets the next kernel on the stream start, and waits for the end of the one before: a kernel may
// be launched while the one before it is still running, and every kernel calls this first.
__device__ __forceinline__ void await_previous() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ f32 half_to_float(u16 bits) {
    f32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
}

__device__ __forceinline__ u16 float_to_half(f32 x) {
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

__device__ __forceinline__ u16 float_to_bfloat(f32 x) {
    u16 bits;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return bits;
}

// Rounds to the nearest bf16 and back: the instruction rounds two numbers into a word; the lower is zero.
__device__ __forceinline__ f32 bfloat_rounded(f32 x) {
    u32 bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(x), "f"(0.0f));
    return __uint_as_float(bits);
}

// For results that are rounded to sixteen bits: exact to about a millionth.
__device__ __forceinline__ f32 quick_exp(f32 x) {
    f32 y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
    return y;
}

__device__ __forceinline__ f32 quick_divide(f32 x, f32 y) {
    f32 z;
    asm("div.full.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}
#endif

// Converts from the stored type to the compute type.
__device__ __forceinline__ f32 up(f32 x) { return x; }
__device__ __forceinline__ f64 up(f64 x) { return x; }
__device__ __forceinline__ f32 up(bf16 x) { return __uint_as_float((u32)x.bits << 16); }
__device__ __forceinline__ f32 up(f16 x) { return half_to_float(x.bits); }
__device__ __forceinline__ i32 up(i32 x) { return x; }
__device__ __forceinline__ i64 up(i64 x) { return x; }
__device__ __forceinline__ i32 up(u8 x) { return x; }
__device__ __forceinline__ bool up(bool x) { return x; }

// Converts back, rounded to the nearest; U8 wraps.
template <class T>
struct Down;
template <>
struct Down<f32> {
    static __device__ __forceinline__ f32 of(f64 x) { return (f32)x; }
    static __device__ __forceinline__ f32 of(f32 x) { return x; }
    static __device__ __forceinline__ f32 of(i32 x) { return (f32)x; }
    static __device__ __forceinline__ f32 of(i64 x) { return (f32)(f64)x; }
    static __device__ __forceinline__ f32 of(bool x) { return x ? 1.0f : 0.0f; }
};
template <>
struct Down<f64> {
    template <class S>
    static __device__ __forceinline__ f64 of(S x) {
        return (f64)x;
    }
};
template <>
struct Down<bf16> {
    template <class S>
    static __device__ __forceinline__ bf16 of(S x) {
        return bf16{float_to_bfloat(Down<f32>::of(x))};
    }
};
template <>
struct Down<f16> {
    template <class S>
    static __device__ __forceinline__ f16 of(S x) {
        return f16{float_to_half(Down<f32>::of(x))};
    }
};

// Converts floats to integers as Java's casts do: towards zero, NaN to zero, clamped to the range.
__device__ __forceinline__ i32 to_i32(f64 x) {
    if (!(x == x)) return 0;
    if (x >= 2147483647.0) return 2147483647;
    if (x <= -2147483648.0) return -2147483647 - 1;
    return (i32)x;
}
__device__ __forceinline__ i32 to_i32(f32 x) {
    if (!(x == x)) return 0;
    if (x >= 2147483648.0f) return 2147483647;
    if (x <= -2147483648.0f) return -2147483647 - 1;
    return (i32)x;
}
__device__ __forceinline__ i32 to_i32(i64 x) { return (i32)(u32)(u64)x; }
__device__ __forceinline__ i32 to_i32(i32 x) { return x; }
__device__ __forceinline__ i32 to_i32(bool x) { return x; }
__device__ __forceinline__ i64 to_i64(f64 x) {
    if (!(x == x)) return 0;
    if (x >= 9223372036854775808.0) return 9223372036854775807LL;
    if (x <= -9223372036854775808.0) return -9223372036854775807LL - 1;
    return (i64)x;
}
__device__ __forceinline__ i64 to_i64(f32 x) { return to_i64((f64)x); }
__device__ __forceinline__ i64 to_i64(i64 x) { return x; }
__device__ __forceinline__ i64 to_i64(i32 x) { return x; }
__device__ __forceinline__ i64 to_i64(bool x) { return x; }

template <>
struct Down<i32> {
    template <class S>
    static __device__ __forceinline__ i32 of(S x) {
        return to_i32(x);
    }
};
template <>
struct Down<i64> {
    template <class S>
    static __device__ __forceinline__ i64 of(S x) {
        return to_i64(x);
    }
};
template <>
struct Down<u8> {
    template <class S>
    static __device__ __forceinline__ u8 of(S x) {
        return (u8)((u32)to_i32(x) & 255u);
    }
};
template <>
struct Down<bool> {
    template <class S>
    static __device__ __forceinline__ bool of(S x) {
        return x != (S)0;
    }
};

#ifdef EBB_HOST
inline f32 bfloat_rounded(f32 x) { return up(Down<bf16>::of(x)); }
inline f32 quick_exp(f32 x) { return expf(x); }
inline f32 quick_divide(f32 x, f32 y) { return x / y; }
#endif

#define F32_NAN __uint_as_float(0x7fc00000u)
#define F32_INFINITY __uint_as_float(0x7f800000u)
#define F64_NAN __longlong_as_double(0x7ff8000000000000LL)
#define F64_INFINITY __longlong_as_double(0x7ff0000000000000LL)

__device__ __forceinline__ bool negative(f32 x) { return __float_as_uint(x) >> 31; }
__device__ __forceinline__ bool negative(f64 x) { return __double_as_longlong(x) < 0; }

// Arithmetic. Integers wrap; an integer divided by zero gives zero.
#define EBB_FLOAT(T, S, NAN_)                                                                 \
    __device__ __forceinline__ T add(T x, T y) { return x + y; }                              \
    __device__ __forceinline__ T sub(T x, T y) { return x - y; }                              \
    __device__ __forceinline__ T mul(T x, T y) { return x * y; }                              \
    __device__ __forceinline__ T divide(T x, T y) { return x / y; }                              \
    __device__ __forceinline__ T rem(T x, T y) { return fmod##S(x, y); }                      \
    __device__ __forceinline__ T greater(T x, T y) {                                          \
        return x != x ? x : y != y ? y : x > y ? x : y > x ? y : negative(x) ? y : x;          \
    }                                                                                         \
    __device__ __forceinline__ T smaller(T x, T y) {                                          \
        return x != x ? x : y != y ? y : x < y ? x : y < x ? y : negative(x) ? x : y;          \
    }                                                                                         \
    __device__ __forceinline__ T power(T x, T y) {                                            \
        if (y != y || (fabs##S(x) == (T)1 && y - y != y - y)) return NAN_;                    \
        return pow##S(x, y);                                                                  \
    }                                                                                         \
    __device__ __forceinline__ T arctan2(T x, T y) { return atan2##S(x, y); }                 \
    __device__ __forceinline__ T hypotenuse(T x, T y) { return hypot##S(x, y); }              \
    __device__ __forceinline__ T neg(T x) { return -x; }                                      \
    __device__ __forceinline__ T absolute(T x) { return fabs##S(x); }                         \
    __device__ __forceinline__ T sign(T x) { return x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x; } \
    __device__ __forceinline__ T down(T x) { return floor##S(x); }                            \
    __device__ __forceinline__ T upward(T x) { return ceil##S(x); }                           \
    __device__ __forceinline__ T even(T x) { return rint##S(x); }                             \
    __device__ __forceinline__ T root(T x) { return sqrt##S(x); }                             \
    __device__ __forceinline__ T fn_exp(T x) { return exp##S(x); }                            \
    __device__ __forceinline__ T fn_expm1(T x) { return expm1##S(x); }                        \
    __device__ __forceinline__ T fn_log(T x) { return log##S(x); }                            \
    __device__ __forceinline__ T fn_log1p(T x) { return log1p##S(x); }                        \
    __device__ __forceinline__ T fn_log2(T x) { return log2##S(x); }                          \
    __device__ __forceinline__ T fn_sin(T x) { return sin##S(x); }                            \
    __device__ __forceinline__ T fn_cos(T x) { return cos##S(x); }                            \
    __device__ __forceinline__ T fn_tan(T x) { return tan##S(x); }                            \
    __device__ __forceinline__ T fn_asin(T x) { return asin##S(x); }                          \
    __device__ __forceinline__ T fn_acos(T x) { return acos##S(x); }                          \
    __device__ __forceinline__ T fn_atan(T x) { return atan##S(x); }                          \
    __device__ __forceinline__ T fn_cbrt(T x) { return cbrt##S(x); }                          \
    __device__ __forceinline__ T fn_sinh(T x) { return sinh##S(x); }                          \
    __device__ __forceinline__ T fn_cosh(T x) { return cosh##S(x); }                          \
    __device__ __forceinline__ T fn_tanh(T x) { return tanh##S(x); }                          \
    __device__ __forceinline__ T fn_asinh(T x) { return asinh##S(x); }                        \
    __device__ __forceinline__ T fn_acosh(T x) { return acosh##S(x); }                        \
    __device__ __forceinline__ T fn_atanh(T x) { return atanh##S(x); }                        \
    __device__ __forceinline__ T fn_erf(T x) { return erf##S(x); }                            \
    __device__ __forceinline__ T fn_erfc(T x) { return erfc##S(x); }                          \
    __device__ __forceinline__ T fn_erfinv(T x) { return erfinv##S(x); }                      \
    __device__ __forceinline__ T fn_normal_quantile(T x) { return normcdfinv##S(x); }         \
    __device__ __forceinline__ T fn_lgamma(T x) { return lgamma##S(x); }                      \
    __device__ __forceinline__ T multiply_add(T x, T y, T z) { return fma##S(x, y, z); }      \
    __device__ __forceinline__ bool is_nan(T x) { return x != x; }

EBB_FLOAT(f32, f, F32_NAN)
EBB_FLOAT(f64, , F64_NAN)

// The result is NaN if an operand is, and +0 is greater than -0: one instruction if the GPU has it.
__device__ __forceinline__ f64 maximum(f64 x, f64 y) { return greater(x, y); }
__device__ __forceinline__ f64 minimum(f64 x, f64 y) { return smaller(x, y); }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ __forceinline__ f32 maximum(f32 x, f32 y) {
    f32 z;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}
__device__ __forceinline__ f32 minimum(f32 x, f32 y) {
    f32 z;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
    return z;
}
#else
__device__ __forceinline__ f32 maximum(f32 x, f32 y) { return greater(x, y); }
__device__ __forceinline__ f32 minimum(f32 x, f32 y) { return smaller(x, y); }
#endif

#define EBB_WHOLE(T, U, BITS)                                                                  \
    __device__ __forceinline__ T add(T x, T y) { return (T)((U)x + (U)y); }                    \
    __device__ __forceinline__ T sub(T x, T y) { return (T)((U)x - (U)y); }                    \
    __device__ __forceinline__ T mul(T x, T y) { return (T)((U)x * (U)y); }                    \
    __device__ __forceinline__ T divide(T x, T y) {                                               \
        return y == 0 ? 0 : y == -1 ? (T)((U)0 - (U)x) : x / y;                                \
    }                                                                                          \
    __device__ __forceinline__ T rem(T x, T y) { return y == 0 || y == -1 ? 0 : x % y; }       \
    __device__ __forceinline__ T maximum(T x, T y) { return x > y ? x : y; }                   \
    __device__ __forceinline__ T minimum(T x, T y) { return x < y ? x : y; }                   \
    __device__ __forceinline__ T neg(T x) { return (T)((U)0 - (U)x); }                         \
    __device__ __forceinline__ T absolute(T x) { return x < 0 ? (T)((U)0 - (U)x) : x; }        \
    __device__ __forceinline__ T sign(T x) { return (x > 0) - (x < 0); }                       \
    __device__ __forceinline__ T bitwise_not(T x) { return ~x; }                               \
    __device__ __forceinline__ T bitwise_and(T x, T y) { return x & y; }                       \
    __device__ __forceinline__ T bitwise_or(T x, T y) { return x | y; }                        \
    __device__ __forceinline__ T bitwise_xor(T x, T y) { return x ^ y; }                       \
    __device__ __forceinline__ T shift_left(T x, T y) { return (T)((U)x << ((U)y & (BITS))); } \
    __device__ __forceinline__ T shift_right(T x, T y) { return x >> ((U)y & (BITS)); }        \
    __device__ __forceinline__ T shift_unsigned(T x, T y) { return (T)((U)x >> ((U)y & (BITS))); } \
    __device__ __forceinline__ T multiply_add(T x, T y, T z) { return (T)((U)x * (U)y + (U)z); }

EBB_WHOLE(i32, u32, 31)
EBB_WHOLE(i64, u64, 63)

__device__ __forceinline__ bool add(bool x, bool y) { return x || y; }
__device__ __forceinline__ bool mul(bool x, bool y) { return x && y; }
__device__ __forceinline__ bool multiply_add(bool x, bool y, bool z) { return z || (x && y); }
// The compiler's own shuffle of booleans returns an int, which matches no function of two booleans.
__device__ __forceinline__ bool __shfl_xor_sync(unsigned who, bool x, int far) {
    return __shfl_xor_sync(who, (int)x, far) != 0;
}
__device__ __forceinline__ bool maximum(bool x, bool y) { return x || y; }
__device__ __forceinline__ bool minimum(bool x, bool y) { return x && y; }
__device__ __forceinline__ bool bitwise_not(bool x) { return !x; }
__device__ __forceinline__ bool bitwise_and(bool x, bool y) { return x && y; }
__device__ __forceinline__ bool bitwise_or(bool x, bool y) { return x || y; }
__device__ __forceinline__ bool bitwise_xor(bool x, bool y) { return x != y; }

// Word (counter mod 4) of block (counter / 4) of Philox 4x32-10 under the key.
__device__ __forceinline__ i32 philox(i64 key, i64 counter) {
    const u64 block = (u64)counter >> 2;
    u32 c0 = (u32)block, c1 = (u32)(block >> 32), c2 = 0, c3 = 0;
    u32 k0 = (u32)(u64)key, k1 = (u32)((u64)key >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const u64 p0 = 0xD2511F53ull * c0;
        const u64 p1 = 0xCD9E8D57ull * c2;
        c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
        c1 = (u32)p1;
        c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
        c3 = (u32)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    const int word = (int)(counter & 3);
    return (i32)(word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3);
}

// Records the first index out of bounds: a node's number plus one, then the index.
__device__ __forceinline__ i64 within(i64 i, i64 bound, i64* fault, i64 node) {
    if (i >= 0 && i < bound) return i;
    if (atomicCAS((u64*)fault, 0ull, (u64)(node + 1)) == 0) fault[1] = i;
    return 0;
}

// The divisor of an integer quotient or remainder; a zero is recorded like an index out of bounds.
template <class T>
__device__ __forceinline__ T divisor(T x, T y, void* fault, void* node) {
    if (y == 0 && atomicCAS((u64*)fault, 0ull, (u64)((i64)node + 1)) == 0) ((i64*)fault)[1] = x;
    return y;
}
