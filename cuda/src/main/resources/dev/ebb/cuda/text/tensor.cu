
// Tensor cores: fragments of 16 x 16 times 16 x 8 (sixteen bits) or 16 x 8 times 8 x 8 (tf32), and
// copies from global to shared memory that do not pass through registers. In a fragment a lane has
// row lane / 4 (and that row plus 8) and the columns selected by lane % 4.

#ifndef EBB_HOST
__device__ __forceinline__ u32 shared_address(const void* p) {
    return (u32)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void copy16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ __forceinline__ void copy8(void* to, const void* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(to)), "l"(from));
}

// Copies sixteen or eight bytes, or writes zeros.
__device__ __forceinline__ void copy16_if(void* to, const void* from, bool valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(valid ? 16 : 0));
}

__device__ __forceinline__ void copy8_if(void* to, const void* from, bool valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(valid ? 8 : 0));
}

__device__ __forceinline__ void copies_commit() { asm volatile("cp.async.commit_group;"); }

// Waits until all groups of copies except the last n have arrived.
template <int N>
__device__ __forceinline__ void copies_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Loads four matrices of eight rows of sixteen bytes; lanes 8 i to 8 i + 7 have the rows of matrix i.
__device__ __forceinline__ void load_matrices(u32 (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

__device__ __forceinline__ void load_transposed(u32 (&r)[4], const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row)));
}

#define EBB_MMA(TYPE, NAME)                                                                     \
    __device__ __forceinline__ void multiply(                                                   \
        f32 (&c)[4], const u32 (&a)[4], u32 b0, u32 b1, const TYPE*) {                          \
        asm volatile("mma.sync.aligned." NAME " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9},"  \
                     " {%0, %1, %2, %3};"                                                       \
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                           \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));           \
    }
EBB_MMA(bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
EBB_MMA(f16, "m16n8k16.row.col.f32.f16.f16.f32")
EBB_MMA(f32, "m16n8k8.row.col.f32.tf32.tf32.f32")

// Two to the power of x; results below the normal numbers are zero.
__device__ __forceinline__ f32 power_of_two(f32 x) {
    f32 y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// The same number, hidden from the compiler, which would otherwise unroll a loop of that many rounds.
__device__ __forceinline__ int opaque(int x) {
    asm volatile("" : "+r"(x));
    return x;
}

// Rounds to ten bits of mantissa, ties away from zero.
__device__ __forceinline__ u32 tensor_float(f32 x) {
    u32 y;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return y;
}
#endif

// Prepares a number for tf32 with an error of at most 0.7 units in the last place and none on average:
// tensor cores truncate to ten bits of mantissa, so a little is added to every number before. Rounding
// to the nearest would take longer than the multiplications.
__device__ __forceinline__ u32 nearly_tensor_float(f32 x) {
    return __float_as_uint(x * 1.000338f);
}

template <class E>
__device__ __forceinline__ u32 packed(f32 low, f32 high) {
    return (u32)Down<E>::of(low).bits | (u32)Down<E>::of(high).bits << 16;
}

// How fragments of element type E are read from rows in shared memory.
template <class E>
struct Fragments {
    static const int STEP = 16;  // of the sum, in one multiplication
    static const int PAD = 8;    // elements between rows, so that eight rows have no bank conflicts

    // 16 rows and STEP columns as the left factor.
    static __device__ __forceinline__ void left(u32 (&a)[4], const E* at, int stride, int lane) {
        load_matrices(a, at + (lane & 15) * stride + (lane >> 4) * 8);
    }
    // STEP columns of 16 rows as the right factor of two products: rows are its columns.
    static __device__ __forceinline__ void rows(u32 (&b)[4], const E* at, int stride, int lane) {
        load_matrices(b, at + ((lane & 7) + (lane >> 4) * 8) * stride + (lane >> 3 & 1) * 8);
    }
    // STEP rows of 16 columns as the right factor of two products.
    static __device__ __forceinline__ void columns(u32 (&b)[4], const E* at, int stride, int lane) {
        load_transposed(b, at + ((lane & 7) + (lane >> 3 & 1) * 8) * stride + (lane >> 4) * 8);
    }
    // Results of two neighbouring products as the left factor of the next.
    static __device__ __forceinline__ void again(
        u32 (&a)[4], const f32 (&c)[4], const f32 (&next)[4]) {
        a[0] = packed<E>(c[0], c[1]);
        a[1] = packed<E>(c[2], c[3]);
        a[2] = packed<E>(next[0], next[1]);
        a[3] = packed<E>(next[2], next[3]);
    }
};

// A warp's own rows in shared memory are already rounded to tf32; the other side's are rounded here.
template <>
struct Fragments<f32> {
    static const int STEP = 8;
    static const int PAD = 4;

    static __device__ __forceinline__ void left(u32 (&a)[4], const f32* at, int stride, int lane) {
        load_matrices(a, at + (lane & 15) * stride + (lane >> 4) * 4);
    }
    static __device__ __forceinline__ void rows(u32 (&b)[4], const f32* at, int stride, int lane) {
        load_matrices(b, at + ((lane & 7) + (lane >> 4) * 8) * stride + (lane >> 3 & 1) * 4);
#pragma unroll
        for (int i = 0; i < 4; i++) b[i] = nearly_tensor_float(__uint_as_float(b[i]));
    }
    // These rows have the order of the columns of again()'s left factor: 0 2 4 6 1 3 5 7.
    static __device__ __forceinline__ void columns(u32 (&b)[4], const f32* at, int stride, int lane) {
        const f32* p = at + (lane & 3) * 2 * stride + (lane >> 2);
        b[0] = nearly_tensor_float(p[0]);
        b[1] = nearly_tensor_float(p[stride]);
        b[2] = nearly_tensor_float(p[8]);
        b[3] = nearly_tensor_float(p[stride + 8]);
    }
    static __device__ __forceinline__ void again(
        u32 (&a)[4], const f32 (&c)[4], const f32 (&)[4]) {
        a[0] = nearly_tensor_float(c[0]);
        a[1] = nearly_tensor_float(c[2]);
        a[2] = nearly_tensor_float(c[1]);
        a[3] = nearly_tensor_float(c[3]);
    }
};

// A width rounded up to whole fragments.
__device__ constexpr int whole(int width) { return (width + 15) / 16 * 16; }

// Rows in shared memory with padding after each, multiplied warp by warp.
template <class E>
struct Warps {
    typedef Fragments<E> F;
    // Whether all warps of a block multiply together; otherwise a warp may skip rows it does not need.
    static const bool TOGETHER = false;

    template <int W>
    static __device__ constexpr int elements(int rows) {
        return rows * (whole(W) + F::PAD);
    }
    // Element d of row r, of ROWS rows.
    template <int ROWS, int W>
    static __device__ __forceinline__ E* at(E* rows, int r, int d) {
        return rows + r * (whole(W) + F::PAD) + d;
    }
    // Waits until the copies of all threads have arrived.
    static __device__ __forceinline__ void arrived() {
        copies_wait<0>();
        __syncthreads();
    }
    // Products run asynchronously until finish(); settle() then gives their results.
    static __device__ __forceinline__ void finish() {}
    template <class T>
    static __device__ __forceinline__ void settle(T&) {}

    // M times 16 rows of one side of a product, a warp's own, as left factors. Kept in registers,
    // or read again from shared memory each time if the registers are needed for sums.
    template <int M, int W, bool KEPT>
    struct Own {
        static const int STEPS = whole(W) / F::STEP, PITCH = whole(W) + F::PAD;
        const E* rows;
        u32 kept[KEPT ? STEPS : 1][M][4];

        __device__ __forceinline__ Own(E* all, int warp, int lane) : rows(all + warp * 16 * M * PITCH) {
            if (!KEPT) return;
#pragma unroll
            for (int d = 0; d < STEPS; d++)
#pragma unroll
                for (int m = 0; m < M; m++)
                    F::left(kept[KEPT ? d : 0][m], rows + m * 16 * PITCH + d * F::STEP, PITCH, lane);
        }

        // The products of own rows with N rows of the other side.
        template <int N>
        __device__ __forceinline__ void times(f32 (&s)[M][N / 8][4], const E* other, int lane) {
#pragma unroll
            for (int m = 0; m < M; m++)
#pragma unroll
                for (int j = 0; j < N / 8; j++)
#pragma unroll
                    for (int e = 0; e < 4; e++) s[m][j][e] = 0;
#pragma unroll
            for (int d = 0; d < STEPS; d++) {
                u32 now[M][4];
#pragma unroll
                for (int m = 0; m < M; m++) {
                    if (KEPT) {
#pragma unroll
                        for (int i = 0; i < 4; i++) now[m][i] = kept[KEPT ? d : 0][m][i];
                    } else {
                        F::left(now[m], rows + m * 16 * PITCH + d * F::STEP, PITCH, lane);
                    }
                }
#pragma unroll
                for (int j = 0; j < N / 8; j += 2) {
                    u32 right[4];
                    F::rows(right, other + j * 8 * PITCH + d * F::STEP, PITCH, lane);
#pragma unroll
                    for (int m = 0; m < M; m++) {
                        multiply(s[m][j], now[m], right[0], right[1], (const E*)0);
                        multiply(s[m][j + 1], now[m], right[2], right[3], (const E*)0);
                    }
                }
            }
        }
    };

    // Adds factors [16 M, N], which are results of a product, times N rows of W elements to sums.
    template <int M, int N, int W>
    static __device__ __forceinline__ void add_product(f32 (&sums)[M][whole(W) / 8][4],
        const f32 (&factors)[M][N / 8][4], const E* rows, int lane) {
        const int pitch = whole(W) + F::PAD;
#pragma unroll
        for (int p = 0; p < N / F::STEP; p++) {
            const int at = p * F::STEP / 8, next = at + 1 < N / 8 ? at + 1 : at;
            u32 left[M][4];
#pragma unroll
            for (int m = 0; m < M; m++) F::again(left[m], factors[m][at], factors[m][next]);
#pragma unroll
            for (int j = 0; j < whole(W) / 8; j += 2) {
                u32 right[4];
                F::columns(right, rows + p * F::STEP * pitch + j * 8, pitch, lane);
#pragma unroll
                for (int m = 0; m < M; m++) {
                    multiply(sums[m][j], left[m], right[0], right[1], (const E*)0);
                    multiply(sums[m][j + 1], left[m], right[2], right[3], (const E*)0);
                }
            }
        }
    }
};

// Copies ROWS rows of W elements from row first on into shared memory; rows beyond the last are
// zeros, and so are elements from W on.
template <class P, int ROWS, int W, class E>
__device__ __forceinline__ void load_rows(E* to, const E* from, i64 stride, int first, int rows) {
    const int each = 16 / (int)sizeof(E), parts = whole(W) / each;
#pragma unroll
    for (int i = 0; i < (ROWS * parts + 127) / 128; i++) {
        const int x = i * 128 + threadIdx.x, r = x / parts, d = x % parts * each;
        if (ROWS * parts % 128 != 0 && r >= ROWS) break;
        E* const place = P::template at<ROWS, W>(to, r, d);
        if (first + r < rows && (whole(W) == W || d < W)) {
            copy16(place, from + (first + r) * stride + d);
        } else {
            *reinterpret_cast<Pack<u32, 4>*>(place) = Pack<u32, 4>{};
        }
    }
}

// Rounds f32 to tf32: each thread rounds the elements that it has copied, after they have arrived.
template <class P, int ROWS, int W, class E>
__device__ __forceinline__ void round_rows(E* to) {
    if (sizeof(E) != 4) return;
    const int each = 16 / (int)sizeof(E), parts = whole(W) / each;
#pragma unroll
    for (int i = 0; i < (ROWS * parts + 127) / 128; i++) {
        const int x = i * 128 + threadIdx.x;
        if (ROWS * parts % 128 != 0 && x >= ROWS * parts) break;
        Pack<f32, 4>* const p = reinterpret_cast<Pack<f32, 4>*>(
            P::template at<ROWS, W>(to, x / parts, x % parts * each));
        Pack<f32, 4> y = *p;
#pragma unroll
        for (int e = 0; e < 4; e++) y.at[e] = __uint_as_float(tensor_float(y.at[e]));
        *p = y;
    }
}

// Stores a row of sums, times a factor; this lane has two of every eight elements.
template <int W, class E>
__device__ __forceinline__ void store_row(
    E* to, const f32 (&sums)[whole(W) / 8][4], int half, f32 factor, int lane) {
#pragma unroll
    for (int j = 0; j < whole(W) / 8; j++) {
        const int d = j * 8 + (lane & 3) * 2;
        if (whole(W) != W && d >= W) continue;
        Pack<E, 2> pair;
        pair.at[0] = Down<E>::of(sums[j][half * 2] * factor);
        pair.at[1] = Down<E>::of(sums[j][half * 2 + 1] * factor);
        store<2>(to + d, pair);
    }
}

#define EBB_LOG2E 1.44269504f

// The factor of a score before the power of two is computed. A mask is added before, and a negative
// scale, which reverses the order of scores, is applied before the maximum is computed.
template <class H>
struct Scores {
    static const bool RAW = !H::MASKED && H::SCALE > 0;
    static constexpr f32 FACTOR = RAW ? H::SCALE * EBB_LOG2E : 1.0f;
};

// Scales and masks scores where necessary; keys that a query does not attend to get no weight.
// Element e of block j belongs to query i0 + 8 (e / 2) and key j0 + 8 j + e % 2, or, where keys are
// rows (TURNED), to key i0 + 8 (e / 2) and query j0 + 8 j + e % 2.
template <class H, int BLOCKS, bool TURNED>
__device__ __forceinline__ void prepare(
    f32 (&s)[BLOCKS][4], const void* mask, i64 b, i64 n, int i0, int j0, bool edge) {
    if (!Scores<H>::RAW) {
#pragma unroll
        for (int j = 0; j < BLOCKS; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int row = i0 + (e >> 1) * 8, column = j0 + j * 8 + (e & 1);
                const int i = TURNED ? column : row, key = TURNED ? row : column;
                f32 x = s[j][e] * (H::SCALE * EBB_LOG2E);
                if (H::MASKED) {
                    if (key < H::KEYS && i < H::QUERIES)
                        x = fmaf(H::mask(mask, b, n, i, key), EBB_LOG2E, x);
                }
                s[j][e] = x;
            }
        }
    }
    if (!edge) return;
#pragma unroll
    for (int j = 0; j < BLOCKS; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const int row = i0 + (e >> 1) * 8, column = j0 + j * 8 + (e & 1);
            const int i = TURNED ? column : row, key = TURNED ? row : column;
            if (key >= H::seen(i)) s[j][e] = -F32_INFINITY;
        }
    }
}

// Attention on tensor cores: a block of four warps has 64 M queries, a warp 16 M of them; keys and
// values are loaded N at a time, the next ones while the current ones are processed. P multiplies, H
// defines sizes and offsets.
template <class P, class E, class H, int M, int N, bool KEPT>
__device__ __forceinline__ void attend_forward(
    const E* q, const E* k, const E* v, const void* mask, E* out, f32* logsum, u8* memory) {
    const int W = H::WIDTH, VW = H::VALUES;
    const int KEY = P::template elements<W>(N), VALUE = P::template elements<VW>(N);
    constexpr f32 FACTOR = Scores<H>::FACTOR;
    E* const queries = (E*)memory;
    E* const keys = queries + P::template elements<W>(64 * M);
    E* const values = keys + 2 * KEY;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int blocks = (H::QUERIES + 64 * M - 1) / (64 * M);
    const int top = (blocks - 1 - (int)(blockIdx.x % blocks)) * 64 * M;
    const i64 n = blockIdx.x / blocks % H::HEADS, b = blockIdx.x / blocks / H::HEADS;
    q += H::query(b, n);
    k += H::key(b, n / H::GROUP);
    v += H::value(b, n / H::GROUP);
    const int end = H::seen(min(top + 64 * M - 1, H::QUERIES - 1));
    const int count = opaque((end + N - 1) / N);
    load_rows<P, 64 * M, W>(queries, q, H::QUERY_ROW, top, H::QUERIES);
    load_rows<P, N, W>(keys, k, H::KEY_ROW, 0, H::KEYS);
    load_rows<P, N, VW>(values, v, H::VALUE_ROW, 0, H::KEYS);
    copies_commit();
    copies_wait<0>();
    round_rows<P, 64 * M, W>(queries);
    P::arrived();
    typename P::template Own<M, W, KEPT> own(queries, warp, lane);
    f32 total[M][whole(VW) / 8][4] = {};
    f32 most[M][2], sum[M][2];
#pragma unroll
    for (int m = 0; m < M; m++) {
        most[m][0] = most[m][1] = -F32_INFINITY;
        sum[m][0] = sum[m][1] = 0;
    }
    const int first = top + warp * 16 * M, row = first + (lane >> 2);
    const int least = H::seen(first), last = H::seen(min(first + 16 * M, H::QUERIES) - 1);
#pragma unroll 1
    for (int t = 0; t < count; t++) {
        const E* const kt = keys + (t & 1) * KEY;
        const E* const vt = values + (t & 1) * VALUE;
        if (t > 0) P::arrived();
        if (t + 1 < count) {
            load_rows<P, N, W>(keys + (~t & 1) * KEY, k, H::KEY_ROW, (t + 1) * N, H::KEYS);
            load_rows<P, N, VW>(values + (~t & 1) * VALUE, v, H::VALUE_ROW, (t + 1) * N, H::KEYS);
            copies_commit();
        }
        if (!P::TOGETHER && t * N >= last) continue;
        f32 s[M][N / 8][4];
        own.template times<N>(s, kt, lane);
        P::finish();
        P::settle(s);
        const bool edge = (t + 1) * N > least;
#pragma unroll
        for (int m = 0; m < M; m++) {
            prepare<H, N / 8, false>(
                s[m], mask, b, n, row + m * 16, t * N + (lane & 3) * 2, edge);
            f32 high[2] = {most[m][0], most[m][1]};
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) high[e >> 1] = fmaxf(high[e >> 1], s[m][j][e]);
            }
#pragma unroll
            for (int i = 0; i < 2; i++) {
                high[i] = fmaxf(high[i], __shfl_xor_sync(0xffffffffu, high[i], 1));
                high[i] = fmaxf(high[i], __shfl_xor_sync(0xffffffffu, high[i], 2));
                const f32 base = high[i] == -F32_INFINITY ? 0.0f : -high[i] * FACTOR;
                const f32 shrink = power_of_two(fmaf(most[m][i], FACTOR, base));
                most[m][i] = high[i];
                sum[m][i] = sum[m][i] * shrink;
#pragma unroll
                for (int j = 0; j < whole(VW) / 8; j++) {
                    total[m][j][i * 2] *= shrink;
                    total[m][j][i * 2 + 1] *= shrink;
                }
#pragma unroll
                for (int j = 0; j < N / 8; j++) {
                    s[m][j][i * 2] = power_of_two(fmaf(s[m][j][i * 2], FACTOR, base));
                    s[m][j][i * 2 + 1] = power_of_two(fmaf(s[m][j][i * 2 + 1], FACTOR, base));
                    sum[m][i] += s[m][j][i * 2] + s[m][j][i * 2 + 1];
                }
            }
        }
        P::template add_product<M, N, VW>(total, s, vt, lane);
        P::finish();
        P::settle(total);
    }
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            sum[m][i] += __shfl_xor_sync(0xffffffffu, sum[m][i], 1);
            sum[m][i] += __shfl_xor_sync(0xffffffffu, sum[m][i], 2);
            const int r = row + m * 16 + i * 8;
            if (r >= H::QUERIES) continue;
            const f32 over = sum[m][i] == 0.0f ? 0.0f : 1.0f / sum[m][i];
            store_row<VW>(
                out + H::result(b, n) + r * H::RESULT_ROW, total[m], i, over, lane);
            if ((lane & 3) == 0)
                logsum[(b * H::HEADS + n) * H::QUERIES + r] = sum[m][i] == 0.0f
                    ? -F32_INFINITY
                    : fmaf(most[m][i] * FACTOR, 0.693147181f, fn_log(sum[m][i]));
        }
    }
}

// The logarithm of a row's sum to base two; a row without keys, or beyond the end, has no weights.
__device__ __forceinline__ f32 log_of_sum(f32 x) {
    return x == -F32_INFINITY ? F32_INFINITY : x * EBB_LOG2E;
}

// The gradient of queries, and for each query the logarithm of its sum to base two and the dot product
// of its result with that result's gradient: a block has 64 M queries; keys and values are loaded N at
// a time.
template <class P, class E, class H, int M, int N, bool KEPT>
__device__ __forceinline__ void attend_backward_queries(const E* q, const E* k, const E* v,
    const void* mask, const E* out, const E* dout, const f32* logsum, E* dq, Pack<f32, 2>* numbers,
    u8* memory) {
    const int W = H::WIDTH, VW = H::VALUES;
    const int KEY = P::template elements<W>(N), VALUE = P::template elements<VW>(N);
    constexpr f32 FACTOR = Scores<H>::FACTOR;
    E* const queries = (E*)memory;
    E* const douts = queries + P::template elements<W>(64 * M);
    E* const keys = douts + P::template elements<VW>(64 * M);
    E* const values = keys + 2 * KEY;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int blocks = (H::QUERIES + 64 * M - 1) / (64 * M);
    const int top = (blocks - 1 - (int)(blockIdx.x % blocks)) * 64 * M;
    const i64 n = blockIdx.x / blocks % H::HEADS, b = blockIdx.x / blocks / H::HEADS;
    q += H::query(b, n);
    k += H::key(b, n / H::GROUP);
    v += H::value(b, n / H::GROUP);
    out += H::result(b, n);
    dout += H::dresult(b, n);
    const int end = H::seen(min(top + 64 * M - 1, H::QUERIES - 1));
    const int count = opaque((end + N - 1) / N);
    load_rows<P, 64 * M, W>(queries, q, H::QUERY_ROW, top, H::QUERIES);
    load_rows<P, 64 * M, VW>(douts, dout, H::DRESULT_ROW, top, H::QUERIES);
    load_rows<P, N, W>(keys, k, H::KEY_ROW, 0, H::KEYS);
    load_rows<P, N, VW>(values, v, H::VALUE_ROW, 0, H::KEYS);
    copies_commit();
    const int first = top + warp * 16 * M, row = first + (lane >> 2);
    f32 logs[M][2], products[M][2];
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int r = row + m * 16 + i * 8;
            const i64 number = (b * H::HEADS + n) * H::QUERIES + r;
            const int each = 16 / (int)sizeof(E);
            f32 x = 0;
            if (r < H::QUERIES) {
#pragma unroll
                for (int d = (lane & 3) * each; d < VW; d += 4 * each) {
                    const Pack<E, each> y = load<each>(out + r * H::RESULT_ROW + d);
                    const Pack<E, each> z = load<each>(dout + r * H::DRESULT_ROW + d);
#pragma unroll
                    for (int e = 0; e < each; e++) x = fmaf(up(y.at[e]), up(z.at[e]), x);
                }
            }
            x += __shfl_xor_sync(0xffffffffu, x, 1);
            x += __shfl_xor_sync(0xffffffffu, x, 2);
            logs[m][i] = r < H::QUERIES ? log_of_sum(logsum[number]) : F32_INFINITY;
            products[m][i] = x;
            if (r < H::QUERIES && (lane & 3) == 0)
                numbers[number] = Pack<f32, 2>{{logs[m][i], x}};
        }
    }
    copies_wait<0>();
    round_rows<P, 64 * M, W>(queries);
    round_rows<P, 64 * M, VW>(douts);
    P::arrived();
    typename P::template Own<M, W, KEPT> query(queries, warp, lane);
    typename P::template Own<M, VW, KEPT> weight(douts, warp, lane);
    f32 total[M][whole(W) / 8][4] = {};
    const int least = H::seen(first), last = H::seen(min(first + 16 * M, H::QUERIES) - 1);
#pragma unroll 1
    for (int t = 0; t < count; t++) {
        const E* const kt = keys + (t & 1) * KEY;
        const E* const vt = values + (t & 1) * VALUE;
        if (t > 0) P::arrived();
        if (t + 1 < count) {
            load_rows<P, N, W>(keys + (~t & 1) * KEY, k, H::KEY_ROW, (t + 1) * N, H::KEYS);
            load_rows<P, N, VW>(values + (~t & 1) * VALUE, v, H::VALUE_ROW, (t + 1) * N, H::KEYS);
            copies_commit();
        }
        if (!P::TOGETHER && t * N >= last) continue;
        f32 s[M][N / 8][4], ds[M][N / 8][4];
        query.template times<N>(s, kt, lane);
        weight.template times<N>(ds, vt, lane);
        P::finish();
        P::settle(s);
        P::settle(ds);
        const bool edge = (t + 1) * N > least;
#pragma unroll
        for (int m = 0; m < M; m++) {
            prepare<H, N / 8, false>(
                s[m], mask, b, n, row + m * 16, t * N + (lane & 3) * 2, edge);
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const f32 x = fmaf(s[m][j][e], FACTOR, -logs[m][e >> 1]);
                    ds[m][j][e] = power_of_two(x) * (ds[m][j][e] - products[m][e >> 1]);
                }
            }
        }
        P::template add_product<M, N, W>(total, ds, kt, lane);
        P::finish();
        P::settle(total);
    }
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int r = row + m * 16 + i * 8;
            if (r < H::QUERIES)
                store_row<W>(dq + H::dquery(b, n) + r * H::DQUERY_ROW, total[m], i, H::SCALE, lane);
        }
    }
}

// Loads two numbers for each of N queries from first on: the logarithm of a sum, and the dot product of
// a result with its gradient. Positions beyond the last query have no weights.
template <int N, int QUERIES>
__device__ __forceinline__ void load_numbers(
    Pack<f32, 2>* to, const Pack<f32, 2>* numbers, i64 row, int first) {
    const int x = threadIdx.x;
    if (x >= N) return;
    if (first + x < QUERIES) {
        copy8(to + x, numbers + row + first + x);
    } else {
        to[x] = Pack<f32, 2>{{F32_INFINITY, 0.0f}};
    }
}

// The gradients of keys (KEYS) and of values (VALUES): a block has 64 M keys; queries are loaded N at a
// time, over all heads that read these keys, in their order.
template <class P, class E, class H, int M, int N, bool KEPT, bool KEYS, bool VALUES>
__device__ __forceinline__ void attend_backward_keys(const E* q, const E* k, const E* v,
    const void* mask, const E* dout, const Pack<f32, 2>* numbers, E* dk, E* dv, u8* memory) {
    const int W = H::WIDTH, VW = H::VALUES;
    const int QUERY = P::template elements<W>(N), DOUT = P::template elements<VW>(N);
    constexpr f32 FACTOR = Scores<H>::FACTOR;
    E* const keys = (E*)memory;
    E* const values = keys + P::template elements<W>(64 * M);
    E* const queries = values + P::template elements<VW>(64 * M);
    E* const douts = queries + 2 * QUERY;
    Pack<f32, 2>* const rows = (Pack<f32, 2>*)(douts + 2 * DOUT);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int heads = H::HEADS / H::GROUP, blocks = (H::KEYS + 64 * M - 1) / (64 * M);
    const int top = (int)(blockIdx.x % blocks) * 64 * M;
    const i64 head = blockIdx.x / blocks % heads, b = blockIdx.x / blocks / heads;
    const int start = H::first(top), chunks = (H::QUERIES - start + N - 1) / N;
    const int count = opaque(chunks * H::GROUP);
    load_rows<P, 64 * M, W>(keys, k + H::key(b, head), H::KEY_ROW, top, H::KEYS);
    load_rows<P, 64 * M, VW>(values, v + H::value(b, head), H::VALUE_ROW, top, H::KEYS);
#define EBB_LOAD_QUERIES(T)                                                                      \
    {                                                                                            \
        const i64 n = head * H::GROUP + (T) / chunks;                                            \
        const int from = start + (T) % chunks * N, to = (T) & 1;                                 \
        load_rows<P, N, W>(                                                                      \
            queries + to * QUERY, q + H::query(b, n), H::QUERY_ROW, from, H::QUERIES);           \
        load_rows<P, N, VW>(                                                                     \
            douts + to * DOUT, dout + H::dresult(b, n), H::DRESULT_ROW, from, H::QUERIES);       \
        load_numbers<N, H::QUERIES>(                                                             \
            rows + to * N, numbers, (b * H::HEADS + n) * H::QUERIES, from);                      \
    }
    if (count > 0) EBB_LOAD_QUERIES(0)
    copies_commit();
    copies_wait<0>();
    round_rows<P, 64 * M, W>(keys);
    round_rows<P, 64 * M, VW>(values);
    P::arrived();
    typename P::template Own<M, W, KEPT> own(keys, warp, lane);
    typename P::template Own<M, VW, KEPT> other(values, warp, lane);
    f32 dkey[M][KEYS ? whole(W) / 8 : 1][4] = {}, dvalue[M][VALUES ? whole(VW) / 8 : 1][4] = {};
    const int least = top + warp * 16 * M, row = least + (lane >> 2);
#pragma unroll 1
    for (int t = 0; t < count; t++) {
        const E* const qt = queries + (t & 1) * QUERY;
        const E* const gt = douts + (t & 1) * DOUT;
        if (t > 0) P::arrived();
        const Pack<f32, 2>* const nt = rows + (t & 1) * N;
        if (t + 1 < count) {
            EBB_LOAD_QUERIES(t + 1)
            copies_commit();
        }
        const i64 n = head * H::GROUP + t / chunks;
        const int from = start + t % chunks * N;
        if (!P::TOGETHER && H::seen(min(from + N, H::QUERIES) - 1) <= least) continue;
        f32 s[M][N / 8][4], ds[M][KEYS ? N / 8 : 1][4];
        own.template times<N>(s, qt, lane);
        if constexpr (KEYS && P::TOGETHER) other.template times<N>(ds, gt, lane);
        P::finish();
        P::settle(s);
        P::settle(ds);
        const bool edge = H::seen(from) < least + 16 * M;
#pragma unroll
        for (int m = 0; m < M; m++)
            prepare<H, N / 8, true>(s[m], mask, b, n, row + m * 16, from + (lane & 3) * 2, edge);
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
            const Pack<Pack<f32, 2>, 2> both = load<2>(nt + j * 8 + (lane & 3) * 2);
#pragma unroll
            for (int m = 0; m < M; m++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const f32 p = power_of_two(fmaf(s[m][j][e], FACTOR, -both.at[e & 1].at[0]));
                    s[m][j][e] = p;
                    if constexpr (KEYS && P::TOGETHER)
                        ds[m][j][e] = p * (ds[m][j][e] - both.at[e & 1].at[1]);
                }
            }
        }
        if constexpr (VALUES) P::template add_product<M, N, VW>(dvalue, s, gt, lane);
        if constexpr (KEYS && !P::TOGETHER) {
            other.template times<N>(ds, gt, lane);
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
                const Pack<Pack<f32, 2>, 2> both = load<2>(nt + j * 8 + (lane & 3) * 2);
#pragma unroll
                for (int m = 0; m < M; m++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        ds[m][j][e] = s[m][j][e] * (ds[m][j][e] - both.at[e & 1].at[1]);
            }
        }
        if constexpr (KEYS) P::template add_product<M, N, W>(dkey, ds, qt, lane);
        P::finish();
        P::settle(dkey);
        P::settle(dvalue);
    }
#undef EBB_LOAD_QUERIES
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int r = row + m * 16 + i * 8;
            if (r >= H::KEYS) continue;
            if constexpr (KEYS)
                store_row<W>(dk + H::dkey(b, head) + r * H::DKEY_ROW, dkey[m], i, H::SCALE, lane);
            if constexpr (VALUES)
                store_row<VW>(dv + H::dvalue(b, head) + r * H::DVALUE_ROW, dvalue[m], i, 1.0f, lane);
        }
    }
}
