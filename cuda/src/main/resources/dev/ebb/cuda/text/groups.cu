
// Attention's products by all four warps of a block together. Rows of 64 elements of sixteen bits are
// contiguous, wider ones are in panels of that width; of the eight parts of sixteen bytes of a panel's
// row, part c is stored at c XOR the row modulo 8, so that eight rows have no bank conflicts. GPUs
// since Hopper read factors in this layout from shared memory; others read it warp by warp.

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define EBB_GROUPS 1

// The descriptor of a factor in shared memory: groups of eight rows are 1024 bytes apart.
__device__ __forceinline__ u64 factor_at(const void* p) {
    return (u64)((shared_address(p) & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define EBB_SUMS(c)                                                                           \
    "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]), \
        "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]),            \
        "+f"(c[2][3]), "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3]),            \
        "+f"(c[4][0]), "+f"(c[4][1]), "+f"(c[4][2]), "+f"(c[4][3]), "+f"(c[5][0]),            \
        "+f"(c[5][1]), "+f"(c[5][2]), "+f"(c[5][3]), "+f"(c[6][0]), "+f"(c[6][1]),            \
        "+f"(c[6][2]), "+f"(c[6][3]), "+f"(c[7][0]), "+f"(c[7][1]), "+f"(c[7][2]), "+f"(c[7][3])

#define EBB_SUM_NAMES                                                                  \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17," \
    " %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"

// Adds the product of 64 x 16 and 16 x 64 to sums, or stores it there. The left factor is in registers
// or in shared memory; the right one is in shared memory with rows along the summed axis or, where
// ACROSS is 1, across it.
#define EBB_GROUP_MULTIPLY(TYPE, NAME)                                                         \
    template <int ACROSS>                                                                      \
    __device__ __forceinline__ void group_multiply(                                            \
        f32 (*c)[4], const u32 (&a)[4], u64 right, int add, const TYPE*) {                     \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"                              \
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32." NAME "." NAME               \
                     " " EBB_SUM_NAMES ", {%32, %33, %34, %35}, %36, p, 1, 1, %38;\n}"         \
                     : EBB_SUMS(c)                                                             \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(right), "r"(add),       \
                       "n"(ACROSS));                                                           \
    }                                                                                          \
    template <int ACROSS>                                                                      \
    __device__ __forceinline__ void group_multiply(                                            \
        f32 (*c)[4], u64 left, u64 right, int add, const TYPE*) {                              \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                              \
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32." NAME "." NAME               \
                     " " EBB_SUM_NAMES ", %32, %33, p, 1, 1, 0, %35;\n}"                       \
                     : EBB_SUMS(c)                                                             \
                     : "l"(left), "l"(right), "r"(add), "n"(ACROSS));                          \
    }
EBB_GROUP_MULTIPLY(bf16, "bf16")
EBB_GROUP_MULTIPLY(f16, "f16")
#endif

// Rows in shared memory, multiplied by all warps of a block together; M is 1, and widths are multiples
// of 64.
template <class E>
struct Groups {
    typedef Fragments<E> F;
    static const bool TOGETHER = true;

    template <int W>
    static __device__ constexpr int elements(int rows) {
        return rows * W;
    }
    template <int ROWS, int W>
    static __device__ __forceinline__ E* at(E* rows, int r, int d) {
        return rows + (d >> 6) * ROWS * 64 + r * 64 + (((d >> 3) & 7) ^ (r & 7)) * 8 + (d & 7);
    }
    static __device__ __forceinline__ void arrived() {
        copies_wait<0>();
#ifdef EBB_GROUPS
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        __syncthreads();
    }
    static __device__ __forceinline__ void begin() {
#ifdef EBB_GROUPS
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
    }
    static __device__ __forceinline__ void finish() {
#ifdef EBB_GROUPS
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    }

    // Keeps the compiler from moving uses of registers that the tensor cores read or write.
    template <class T, int A>
    static __device__ __forceinline__ void settle(T (&x)[A]) {
#pragma unroll
        for (int i = 0; i < A; i++) settle(x[i]);
    }
#ifdef EBB_GROUPS
    static __device__ __forceinline__ void settle(f32& x) { asm volatile("" : "+f"(x)::"memory"); }
    static __device__ __forceinline__ void settle(u32& x) { asm volatile("" : "+r"(x)::"memory"); }
#else
    static __device__ __forceinline__ void settle(f32&) {}
    static __device__ __forceinline__ void settle(u32&) {}
#endif

    // The left factor stays in shared memory.
    template <int M, int W, bool>
    struct Own {
        static const int STEPS = W / F::STEP;
        E* rows;
        int warp;

        __device__ __forceinline__ Own(E* rows, int warp, int) : rows(rows), warp(warp) {}

        template <int N>
        __device__ __forceinline__ void times(f32 (&s)[M][N / 8][4], const E* other, int lane) {
            begin();
#pragma unroll
            for (int d = 0; d < STEPS; d++) {
#ifdef EBB_GROUPS
                const u64 left = factor_at(rows + (d >> 2) * 64 * 64 + (d & 3) * 16);
#pragma unroll
                for (int j = 0; j < N / 64; j++) {
                    const u64 right =
                        factor_at(other + (d >> 2) * N * 64 + j * 64 * 64 + (d & 3) * 16);
                    group_multiply<0>(&s[0][j * 8], left, right, d > 0, (const E*)0);
                }
#else
                u32 now[4];
                load_matrices(now,
                    at<64, W>(rows, warp * 16 + (lane & 15), d * F::STEP + (lane >> 4) * 8));
#pragma unroll
                for (int j = 0; j < N / 8; j += 2) {
                    u32 right[4];
                    load_matrices(right,
                        at<N, W>((E*)other, j * 8 + (lane & 7) + (lane >> 4) * 8,
                            d * F::STEP + (lane >> 3 & 1) * 8));
#pragma unroll
                    for (int e = 0; e < 4; e++) {
                        if (d == 0) s[0][j][e] = s[0][j + 1][e] = 0;
                    }
                    multiply(s[0][j], now, right[0], right[1], (const E*)0);
                    multiply(s[0][j + 1], now, right[2], right[3], (const E*)0);
                }
#endif
            }
        }
    };

    template <int M, int N, int W>
    static __device__ __forceinline__ void add_product(
        f32 (&sums)[M][W / 8][4], const f32 (&factors)[M][N / 8][4], const E* rows, int lane) {
        u32 left[N / 16][4];
#pragma unroll
        for (int p = 0; p < N / 16; p++)
            F::again(left[p], factors[0][p * 2], factors[0][p * 2 + 1]);
        settle(left);
        settle(sums);
        begin();
#pragma unroll
        for (int p = 0; p < N / 16; p++) {
#ifdef EBB_GROUPS
#pragma unroll
            for (int j = 0; j < W / 64; j++)
                group_multiply<1>(&sums[0][j * 8], left[p],
                    factor_at(rows + j * N * 64 + p * 16 * 64), 1, (const E*)0);
#else
#pragma unroll
            for (int j = 0; j < W / 8; j += 2) {
                u32 right[4];
                load_transposed(right,
                    at<N, W>((E*)rows, p * 16 + (lane & 7) + (lane >> 3 & 1) * 8,
                        j * 8 + (lane >> 4) * 8));
                multiply(sums[0][j], left[p], right[0], right[1], (const E*)0);
                multiply(sums[0][j + 1], left[p], right[2], right[3], (const E*)0);
            }
#endif
        }
    }
};
