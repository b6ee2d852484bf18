
// Tensor cores: fragments of 16 x 16 times 16 x 8 (sixteen bits) or 16 x 8 times 8 x 8 (tf32), and
// copies from global to shared memory that do not pass through registers. In a fragment a lane has
// row lane / 4 (and that row plus 8) and the columns that lane % 4 names.

#ifndef EBB_HOST
__device__ __forceinline__ u32 shared_address(const void* p) {
    return (u32)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void copy16(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ __forceinline__ void copy4(void* to, const void* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from));
}

__device__ __forceinline__ void copies_commit() { asm volatile("cp.async.commit_group;"); }

// All groups but the last n are there.
template <int N>
__device__ __forceinline__ void copies_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Four matrices of eight rows of sixteen bytes; lanes 8 i to 8 i + 7 name the rows of matrix i.
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

// Two to the power of x; what is too small for a normal number is zero.
__device__ __forceinline__ f32 power_of_two(f32 x) {
    f32 y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// To ten bits of mantissa, ties away from zero.
__device__ __forceinline__ u32 tensor_float(f32 x) {
    u32 y;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return y;
}
#endif

template <class E>
__device__ __forceinline__ u32 packed(f32 low, f32 high) {
    return (u32)Down<E>::of(low).bits | (u32)Down<E>::of(high).bits << 16;
}

// How fragments of element type E are read from rows in shared memory.
template <class E>
struct Fragments {
    static const int STEP = 16;  // of the sum, in one multiplication
    static const int PAD = 8;    // elements between rows, so that eight rows meet no bank twice

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

// A warp's own rows in shared memory have been rounded to tf32; the other side's are rounded here.
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
        for (int i = 0; i < 4; i++) b[i] = tensor_float(__uint_as_float(b[i]));
    }
    // The left factor of again() has its columns in the order 0 2 4 6 1 3 5 7; so have these rows.
    static __device__ __forceinline__ void columns(u32 (&b)[4], const f32* at, int stride, int lane) {
        const f32* p = at + (lane & 3) * 2 * stride + (lane >> 2);
        b[0] = tensor_float(p[0]);
        b[1] = tensor_float(p[stride]);
        b[2] = tensor_float(p[8]);
        b[3] = tensor_float(p[stride + 8]);
    }
    static __device__ __forceinline__ void again(
        u32 (&a)[4], const f32 (&c)[4], const f32 (&)[4]) {
        a[0] = tensor_float(c[0]);
        a[1] = tensor_float(c[2]);
        a[2] = tensor_float(c[1]);
        a[3] = tensor_float(c[3]);
    }
};

// A width in whole fragments.
__device__ constexpr int whole(int width) { return (width + 15) / 16 * 16; }

// ROWS rows of W elements from row first on into shared memory; rows beyond the last are zeros, and
// so are elements from W on.
template <int ROWS, int W, class E>
__device__ __forceinline__ void load_rows(E* to, const E* from, i64 stride, int first, int rows) {
    const int each = 16 / (int)sizeof(E), parts = whole(W) / each;
    const int pitch = whole(W) + Fragments<E>::PAD;
#pragma unroll
    for (int x = threadIdx.x; x < ROWS * parts; x += 128) {
        const int r = x / parts, d = x % parts * each;
        if (first + r < rows && (whole(W) == W || d < W)) {
            copy16(to + r * pitch + d, from + (first + r) * stride + d);
        } else {
            *reinterpret_cast<Pack<u32, 4>*>(to + r * pitch + d) = Pack<u32, 4>{};
        }
    }
}

// Rounds f32 to tf32: each thread what it has copied itself, when it has arrived.
template <int ROWS, int W, class E>
__device__ __forceinline__ void round_rows(E* at) {
    if (sizeof(E) != 4) return;
    const int each = 16 / (int)sizeof(E), parts = whole(W) / each;
    const int pitch = whole(W) + Fragments<E>::PAD;
#pragma unroll
    for (int x = threadIdx.x; x < ROWS * parts; x += 128) {
        Pack<f32, 4>* const p =
            reinterpret_cast<Pack<f32, 4>*>(at + x / parts * pitch + x % parts * each);
        Pack<f32, 4> y = *p;
#pragma unroll
        for (int e = 0; e < 4; e++) y.at[e] = __uint_as_float(tensor_float(y.at[e]));
        *p = y;
    }
}

// M times 16 rows of one side of a product, a warp's own, as left factors. Kept in registers, or
// read again from shared memory each time where registers are wanted for sums.
template <class E, int M, int W, bool KEPT>
struct Own {
    typedef Fragments<E> F;
    static const int STEPS = whole(W) / F::STEP, PITCH = whole(W) + F::PAD;
    const E* rows;
    u32 kept[KEPT ? STEPS : 1][M][4];

    __device__ __forceinline__ Own(const E* rows, int lane) : rows(rows) {
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
template <class E, int M, int N, int W>
__device__ __forceinline__ void add_product(
    f32 (&sums)[M][whole(W) / 8][4], const f32 (&factors)[M][N / 8][4], const E* rows, int lane) {
    typedef Fragments<E> F;
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

// A row of sums, times a factor, of which this lane has two in every eight.
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

// Attention by tensor cores: a block of four warps has 64 M queries, a warp 16 M of them; keys and
// values come N at a time, the next while these are worked on. H names sizes and places.
template <class E, class H, int M, int N, bool KEPT>
__device__ __forceinline__ void attend_forward(
    const E* q, const E* k, const E* v, const void* mask, E* out, f32* logsum, u8* memory) {
    typedef Fragments<E> F;
    const int W = H::WIDTH, VW = H::VALUES, QP = whole(W) + F::PAD, VP = whole(VW) + F::PAD;
    E* const queries = (E*)memory;
    E* const keys = queries + 64 * M * QP;
    E* const values = keys + 2 * N * QP;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int blocks = (H::QUERIES + 64 * M - 1) / (64 * M);
    const int top = (blocks - 1 - (int)(blockIdx.x % blocks)) * 64 * M;
    const i64 n = blockIdx.x / blocks % H::HEADS, b = blockIdx.x / blocks / H::HEADS;
    q += H::query(b, n);
    k += H::key(b, n / H::GROUP);
    v += H::value(b, n / H::GROUP);
    const int end = H::seen(min(top + 64 * M - 1, H::QUERIES - 1));
    const int count = (end + N - 1) / N;
    load_rows<64 * M, W>(queries, q, H::QUERY_ROW, top, H::QUERIES);
    load_rows<N, W>(keys, k, H::KEY_ROW, 0, H::KEYS);
    load_rows<N, VW>(values, v, H::VALUE_ROW, 0, H::KEYS);
    copies_commit();
    copies_wait<0>();
    round_rows<64 * M, W>(queries);
    __syncthreads();
    Own<E, M, W, KEPT> own(queries + warp * 16 * M * QP, lane);
    f32 total[M][whole(VW) / 8][4] = {};
    f32 most[M][2], sum[M][2];
#pragma unroll
    for (int m = 0; m < M; m++) {
        most[m][0] = most[m][1] = -F32_INFINITY;
        sum[m][0] = sum[m][1] = 0;
    }
    const int first = top + warp * 16 * M, row = first + (lane >> 2);
    const int least = H::seen(first), last = H::seen(min(first + 16 * M, H::QUERIES) - 1);
    for (int t = 0; t < count; t++) {
        const E* const kt = keys + (t & 1) * N * QP;
        const E* const vt = values + (t & 1) * N * VP;
        if (t > 0) {
            copies_wait<0>();
            __syncthreads();
        }
        if (t + 1 < count) {
            load_rows<N, W>(keys + (~t & 1) * N * QP, k, H::KEY_ROW, (t + 1) * N, H::KEYS);
            load_rows<N, VW>(values + (~t & 1) * N * VP, v, H::VALUE_ROW, (t + 1) * N, H::KEYS);
            copies_commit();
        }
        if (t * N >= last) continue;
        f32 s[M][N / 8][4];
        own.template times<N>(s, kt, lane);
        const bool edge = (t + 1) * N > least;
#pragma unroll
        for (int m = 0; m < M; m++) {
            f32 high[2] = {most[m][0], most[m][1]};
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int key = t * N + j * 8 + (lane & 3) * 2 + (e & 1);
                    const int i = row + m * 16 + (e >> 1) * 8;
                    f32 x = s[m][j][e] * (H::SCALE * EBB_LOG2E);
                    if (H::MASKED) {
                        if (key < H::KEYS && i < H::QUERIES)
                            x = fmaf(H::mask(mask, b, n, i, key), EBB_LOG2E, x);
                    }
                    if (edge && key >= H::seen(i)) x = -F32_INFINITY;
                    s[m][j][e] = x;
                    high[e >> 1] = fmaxf(high[e >> 1], x);
                }
            }
#pragma unroll
            for (int i = 0; i < 2; i++) {
                high[i] = fmaxf(high[i], __shfl_xor_sync(0xffffffffu, high[i], 1));
                high[i] = fmaxf(high[i], __shfl_xor_sync(0xffffffffu, high[i], 2));
                const f32 base = high[i] == -F32_INFINITY ? 0.0f : high[i];
                const f32 shrink = power_of_two(most[m][i] - base);
                most[m][i] = high[i];
                sum[m][i] = sum[m][i] * shrink;
#pragma unroll
                for (int j = 0; j < whole(VW) / 8; j++) {
                    total[m][j][i * 2] *= shrink;
                    total[m][j][i * 2 + 1] *= shrink;
                }
#pragma unroll
                for (int j = 0; j < N / 8; j++) {
                    s[m][j][i * 2] = power_of_two(s[m][j][i * 2] - base);
                    s[m][j][i * 2 + 1] = power_of_two(s[m][j][i * 2 + 1] - base);
                    sum[m][i] += s[m][j][i * 2] + s[m][j][i * 2 + 1];
                }
            }
        }
        add_product<E, M, N, VW>(total, s, vt, lane);
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
                    : fmaf(most[m][i], 0.693147181f, fn_log(sum[m][i]));
        }
    }
}

// The logarithm of a row's sum to base two; a row that sees nothing, or is none, has no weights.
__device__ __forceinline__ f32 log_of_sum(f32 x) {
    return x == -F32_INFINITY ? F32_INFINITY : x * EBB_LOG2E;
}

// The gradient of queries, and for each query the product of its result and that result's gradient:
// a block has 64 M queries; keys and values come N at a time.
template <class E, class H, int M, int N, bool KEPT>
__device__ __forceinline__ void attend_backward_queries(const E* q, const E* k, const E* v,
    const void* mask, const E* out, const E* dout, const f32* logsum, E* dq, f32* inner,
    u8* memory) {
    typedef Fragments<E> F;
    const int W = H::WIDTH, VW = H::VALUES, QP = whole(W) + F::PAD, VP = whole(VW) + F::PAD;
    E* const queries = (E*)memory;
    E* const douts = queries + 64 * M * QP;
    E* const keys = douts + 64 * M * VP;
    E* const values = keys + 2 * N * QP;
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
    const int count = (end + N - 1) / N;
    load_rows<64 * M, W>(queries, q, H::QUERY_ROW, top, H::QUERIES);
    load_rows<64 * M, VW>(douts, dout, H::DRESULT_ROW, top, H::QUERIES);
    load_rows<N, W>(keys, k, H::KEY_ROW, 0, H::KEYS);
    load_rows<N, VW>(values, v, H::VALUE_ROW, 0, H::KEYS);
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
            if (r < H::QUERIES && (lane & 3) == 0) inner[number] = x;
            logs[m][i] = r < H::QUERIES ? log_of_sum(logsum[number]) : F32_INFINITY;
            products[m][i] = x;
        }
    }
    copies_wait<0>();
    round_rows<64 * M, W>(queries);
    round_rows<64 * M, VW>(douts);
    __syncthreads();
    Own<E, M, W, KEPT> query(queries + warp * 16 * M * QP, lane);
    Own<E, M, VW, KEPT> weight(douts + warp * 16 * M * VP, lane);
    f32 total[M][whole(W) / 8][4] = {};
    const int least = H::seen(first), last = H::seen(min(first + 16 * M, H::QUERIES) - 1);
    for (int t = 0; t < count; t++) {
        const E* const kt = keys + (t & 1) * N * QP;
        const E* const vt = values + (t & 1) * N * VP;
        if (t > 0) {
            copies_wait<0>();
            __syncthreads();
        }
        if (t + 1 < count) {
            load_rows<N, W>(keys + (~t & 1) * N * QP, k, H::KEY_ROW, (t + 1) * N, H::KEYS);
            load_rows<N, VW>(values + (~t & 1) * N * VP, v, H::VALUE_ROW, (t + 1) * N, H::KEYS);
            copies_commit();
        }
        if (t * N >= last) continue;
        f32 s[M][N / 8][4], ds[M][N / 8][4];
        query.template times<N>(s, kt, lane);
        weight.template times<N>(ds, vt, lane);
        const bool edge = (t + 1) * N > least;
#pragma unroll
        for (int m = 0; m < M; m++) {
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int key = t * N + j * 8 + (lane & 3) * 2 + (e & 1);
                    const int i = row + m * 16 + (e >> 1) * 8;
                    f32 x = fmaf(s[m][j][e], H::SCALE * EBB_LOG2E, -logs[m][e >> 1]);
                    if (H::MASKED) {
                        if (key < H::KEYS && i < H::QUERIES)
                            x = fmaf(H::mask(mask, b, n, i, key), EBB_LOG2E, x);
                    }
                    if (edge && key >= H::seen(i)) x = -F32_INFINITY;
                    ds[m][j][e] = power_of_two(x) * (ds[m][j][e] - products[m][e >> 1]) * H::SCALE;
                }
            }
        }
        add_product<E, M, N, W>(total, ds, kt, lane);
    }
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int r = row + m * 16 + i * 8;
            if (r < H::QUERIES)
                store_row<W>(dq + H::dquery(b, n) + r * H::DQUERY_ROW, total[m], i, 1.0f, lane);
        }
    }
}

// The numbers of N queries from first on: logarithms of sums, then products of results and their
// gradients. What lies beyond the last query has no weights.
template <int N, int QUERIES>
__device__ __forceinline__ void load_numbers(
    f32* to, const f32* logsum, const f32* inner, i64 row, int first) {
    const int x = threadIdx.x;
    if (x >= N) return;
    if (first + x < QUERIES) {
        copy4(to + x, logsum + row + first + x);
        copy4(to + N + x, inner + row + first + x);
    } else {
        to[x] = F32_INFINITY;
        to[N + x] = 0;
    }
}

// The gradients of keys (KEYS) and of values (VALUES): a block has 64 M keys, queries come N at a
// time, over all heads that read these keys, in their order.
template <class E, class H, int M, int N, bool KEPT, bool KEYS, bool VALUES>
__device__ __forceinline__ void attend_backward_keys(const E* q, const E* k, const E* v, const void* mask,
    const E* dout, const f32* logsum, const f32* inner, E* dk, E* dv, u8* memory) {
    typedef Fragments<E> F;
    const int W = H::WIDTH, VW = H::VALUES, QP = whole(W) + F::PAD, VP = whole(VW) + F::PAD;
    E* const keys = (E*)memory;
    E* const values = keys + 64 * M * QP;
    E* const queries = values + 64 * M * VP;
    E* const douts = queries + 2 * N * QP;
    f32* const numbers = (f32*)(douts + 2 * N * VP);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int heads = H::HEADS / H::GROUP, blocks = (H::KEYS + 64 * M - 1) / (64 * M);
    const int top = (int)(blockIdx.x % blocks) * 64 * M;
    const i64 head = blockIdx.x / blocks % heads, b = blockIdx.x / blocks / heads;
    const int start = H::first(top), chunks = (H::QUERIES - start + N - 1) / N;
    const int count = chunks * H::GROUP;
    load_rows<64 * M, W>(keys, k + H::key(b, head), H::KEY_ROW, top, H::KEYS);
    load_rows<64 * M, VW>(values, v + H::value(b, head), H::VALUE_ROW, top, H::KEYS);
#define EBB_LOAD_QUERIES(T)                                                                      \
    {                                                                                            \
        const i64 n = head * H::GROUP + (T) / chunks;                                            \
        const int from = start + (T) % chunks * N, to = (T) & 1;                                 \
        load_rows<N, W>(queries + to * N * QP, q + H::query(b, n), H::QUERY_ROW, from, H::QUERIES); \
        load_rows<N, VW>(                                                                        \
            douts + to * N * VP, dout + H::dresult(b, n), H::DRESULT_ROW, from, H::QUERIES);     \
        load_numbers<N, H::QUERIES>(numbers + to * 2 * N, logsum, inner,                         \
            (b * H::HEADS + n) * H::QUERIES, from);                                              \
    }
    if (count > 0) EBB_LOAD_QUERIES(0)
    copies_commit();
    copies_wait<0>();
    round_rows<64 * M, W>(keys);
    round_rows<64 * M, VW>(values);
    __syncthreads();
    Own<E, M, W, KEPT> own(keys + warp * 16 * M * QP, lane);
    Own<E, M, VW, KEPT> other(values + warp * 16 * M * VP, lane);
    f32 dkey[M][KEYS ? whole(W) / 8 : 1][4] = {}, dvalue[M][VALUES ? whole(VW) / 8 : 1][4] = {};
    const int least = top + warp * 16 * M, row = least + (lane >> 2);
    for (int t = 0; t < count; t++) {
        const E* const qt = queries + (t & 1) * N * QP;
        const E* const gt = douts + (t & 1) * N * VP;
        if (t > 0) {
            copies_wait<0>();
            __syncthreads();
        }
        const f32* const nt = numbers + (t & 1) * 2 * N;
        if (t + 1 < count) {
            EBB_LOAD_QUERIES(t + 1)
            copies_commit();
        }
        const i64 n = head * H::GROUP + t / chunks;
        const int from = start + t % chunks * N;
        if (H::seen(min(from + N, H::QUERIES) - 1) <= least) continue;
        f32 s[M][N / 8][4], ds[M][N / 8][4];
        own.template times<N>(s, qt, lane);
        const bool edge = H::seen(from) < least + 16 * M;
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
            const int at = j * 8 + (lane & 3) * 2;
            const f32 logs[2] = {log_of_sum(nt[at]), log_of_sum(nt[at + 1])};
#pragma unroll
            for (int m = 0; m < M; m++) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const int key = row + m * 16 + (e >> 1) * 8, i = from + at + (e & 1);
                    f32 x = fmaf(s[m][j][e], H::SCALE * EBB_LOG2E, -logs[e & 1]);
                    if (H::MASKED) {
                        if (key < H::KEYS && i < H::QUERIES)
                            x = fmaf(H::mask(mask, b, n, i, key), EBB_LOG2E, x);
                    }
                    if (edge && key >= H::seen(i)) x = -F32_INFINITY;
                    s[m][j][e] = power_of_two(x);
                }
            }
        }
        if constexpr (VALUES) add_product<E, M, N, VW>(dvalue, s, gt, lane);
        if constexpr (KEYS) {
            other.template times<N>(ds, gt, lane);
#pragma unroll
            for (int j = 0; j < N / 8; j++) {
                const int at = j * 8 + (lane & 3) * 2;
                const f32 products[2] = {nt[N + at], nt[N + at + 1]};
#pragma unroll
                for (int m = 0; m < M; m++)
#pragma unroll
                    for (int e = 0; e < 4; e++)
                        ds[m][j][e] = s[m][j][e] * (ds[m][j][e] - products[e & 1]) * H::SCALE;
            }
            add_product<E, M, N, W>(dkey, ds, qt, lane);
        }
    }
#undef EBB_LOAD_QUERIES
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int r = row + m * 16 + i * 8;
            if (r >= H::KEYS) continue;
            if constexpr (KEYS)
                store_row<W>(dk + H::dkey(b, head) + r * H::DKEY_ROW, dkey[m], i, 1.0f, lane);
            if constexpr (VALUES)
                store_row<VW>(dv + H::dvalue(b, head) + r * H::DVALUE_ROW, dvalue[m], i, 1.0f, lane);
        }
    }
}
