
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

template <>
struct Fragments<f32> {
    static const int STEP = 8;
    static const int PAD = 4;

    static __device__ __forceinline__ void round(u32 (&a)[4]) {
#pragma unroll
        for (int i = 0; i < 4; i++) a[i] = tensor_float(__uint_as_float(a[i]));
    }
    static __device__ __forceinline__ void left(u32 (&a)[4], const f32* at, int stride, int lane) {
        load_matrices(a, at + (lane & 15) * stride + (lane >> 4) * 4);
        round(a);
    }
    static __device__ __forceinline__ void rows(u32 (&b)[4], const f32* at, int stride, int lane) {
        load_matrices(b, at + ((lane & 7) + (lane >> 4) * 8) * stride + (lane >> 3 & 1) * 4);
        round(b);
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

// ROWS rows of W elements from row first on into shared memory; rows beyond the last are zeros.
template <int ROWS, int W, int THREADS, class E>
__device__ __forceinline__ void load_rows(E* to, const E* from, i64 stride, int first, int rows) {
    const int each = 16 / (int)sizeof(E), parts = W / each, pitch = W + Fragments<E>::PAD;
#pragma unroll
    for (int x = threadIdx.x; x < ROWS * parts; x += THREADS) {
        const int r = x / parts, d = x % parts * each;
        if (first + r < rows) {
            copy16(to + r * pitch + d, from + (first + r) * stride + d);
        } else {
            *reinterpret_cast<Pack<u32, 4>*>(to + r * pitch + d) = Pack<u32, 4>{};
        }
    }
}

// Attention by tensor cores: a block of four warps has 64 queries, a warp 16 of them; keys and
// values come 64 at a time, the next while these are worked on. H names sizes and places.
template <class E, class H>
__device__ __forceinline__ void attend_forward(
    const E* q, const E* k, const E* v, const void* mask, E* out, f32* logsum, u8* memory) {
    typedef Fragments<E> F;
    const int KEYS = 64, W = H::WIDTH, VW = H::VALUES, QP = W + F::PAD, VP = VW + F::PAD;
    const int TILES = KEYS / 8;
    const f32 LOG2E = 1.44269504f;
    E* const queries = (E*)memory;
    E* const keys = queries + 64 * QP;
    E* const values = keys + 2 * KEYS * QP;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int blocks = (H::QUERIES + 63) / 64;
    const int top = (blocks - 1 - (int)(blockIdx.x % blocks)) * 64;
    const i64 n = blockIdx.x / blocks % H::HEADS, b = blockIdx.x / blocks / H::HEADS;
    q += H::query(b, n);
    k += H::key(b, n / H::GROUP);
    v += H::value(b, n / H::GROUP);
    const int end = H::seen(min(top + 63, H::QUERIES - 1));
    const int count = (end + KEYS - 1) / KEYS;
    load_rows<64, W, 128>(queries, q, H::QUERY_ROW, top, H::QUERIES);
    load_rows<KEYS, W, 128>(keys, k, H::KEY_ROW, 0, H::KEYS);
    load_rows<KEYS, VW, 128>(values, v, H::VALUE_ROW, 0, H::KEYS);
    copies_commit();
    copies_wait<0>();
    __syncthreads();
    u32 left[W / F::STEP][4];
#pragma unroll
    for (int s = 0; s < W / F::STEP; s++)
        F::left(left[s], queries + warp * 16 * QP + s * F::STEP, QP, lane);
    f32 total[VW / 8][4] = {};
    f32 most[2] = {-F32_INFINITY, -F32_INFINITY}, sum[2] = {0, 0};
    const int row = top + warp * 16 + (lane >> 2);
    const int seen[2] = {H::seen(row), H::seen(row + 8)};
    const int least = H::seen(top + warp * 16);
    for (int t = 0; t < count; t++) {
        if (t > 0) {
            copies_wait<0>();
            __syncthreads();
        }
        const E* const kt = keys + (t & 1) * KEYS * QP;
        const E* const vt = values + (t & 1) * KEYS * VP;
        if (t + 1 < count) {
            load_rows<KEYS, W, 128>(
                keys + (~t & 1) * KEYS * QP, k, H::KEY_ROW, (t + 1) * KEYS, H::KEYS);
            load_rows<KEYS, VW, 128>(
                values + (~t & 1) * KEYS * VP, v, H::VALUE_ROW, (t + 1) * KEYS, H::KEYS);
            copies_commit();
        }
        f32 s[TILES][4] = {};
#pragma unroll
        for (int d = 0; d < W / F::STEP; d++) {
#pragma unroll
            for (int j = 0; j < TILES; j += 2) {
                u32 right[4];
                F::rows(right, kt + j * 8 * QP + d * F::STEP, QP, lane);
                multiply(s[j], left[d], right[0], right[1], (const E*)0);
                multiply(s[j + 1], left[d], right[2], right[3], (const E*)0);
            }
        }
        const bool edge = (t + 1) * KEYS > least;
        f32 high[2] = {most[0], most[1]};
#pragma unroll
        for (int j = 0; j < TILES; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const int key = t * KEYS + j * 8 + (lane & 3) * 2 + (e & 1);
                f32 x = s[j][e] * (H::SCALE * LOG2E);
                if (H::MASKED) {
                    if (key < seen[e >> 1] && row + (e >> 1) * 8 < H::QUERIES)
                        x = fmaf(H::mask(mask, b, n, row + (e >> 1) * 8, key), LOG2E, x);
                }
                if (edge && key >= seen[e >> 1]) x = -F32_INFINITY;
                s[j][e] = x;
                high[e >> 1] = maximum(high[e >> 1], x);
            }
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            high[i] = maximum(high[i], __shfl_xor_sync(0xffffffffu, high[i], 1));
            high[i] = maximum(high[i], __shfl_xor_sync(0xffffffffu, high[i], 2));
            const f32 base = high[i] == -F32_INFINITY ? 0.0f : high[i];
            const f32 shrink = exp2f(most[i] - base);
            most[i] = high[i];
            sum[i] = sum[i] * shrink;
#pragma unroll
            for (int j = 0; j < VW / 8; j++) {
                total[j][i * 2] *= shrink;
                total[j][i * 2 + 1] *= shrink;
            }
#pragma unroll
            for (int j = 0; j < TILES; j++) {
                s[j][i * 2] = exp2f(s[j][i * 2] - base);
                s[j][i * 2 + 1] = exp2f(s[j][i * 2 + 1] - base);
                sum[i] += s[j][i * 2] + s[j][i * 2 + 1];
            }
        }
#pragma unroll
        for (int p = 0; p < KEYS / F::STEP; p++) {
            u32 a[4];
            const int at = p * F::STEP / 8;
            F::again(a, s[at], s[at + 1 < TILES ? at + 1 : at]);
#pragma unroll
            for (int j = 0; j < VW / 8; j += 2) {
                u32 right[4];
                F::columns(right, vt + p * F::STEP * VP + j * 8, VP, lane);
                multiply(total[j], a, right[0], right[1], (const E*)0);
                multiply(total[j + 1], a, right[2], right[3], (const E*)0);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], 1);
        sum[i] += __shfl_xor_sync(0xffffffffu, sum[i], 2);
        const int r = row + i * 8;
        if (r >= H::QUERIES) continue;
        const f32 over = sum[i] == 0.0f ? 0.0f : 1.0f / sum[i];
        E* const to = out + H::result(b, n) + r * H::RESULT_ROW;
#pragma unroll
        for (int j = 0; j < VW / 8; j++) {
            Pack<E, 2> pair;
            pair.at[0] = Down<E>::of(total[j][i * 2] * over);
            pair.at[1] = Down<E>::of(total[j][i * 2 + 1] * over);
            store<2>(to + j * 8 + (lane & 3) * 2, pair);
        }
        if ((lane & 3) == 0)
            logsum[(b * H::HEADS + n) * H::QUERIES + r] = sum[i] == 0.0f
                ? -F32_INFINITY
                : fmaf(most[i], 0.693147181f, fn_log(sum[i]));
    }
}
