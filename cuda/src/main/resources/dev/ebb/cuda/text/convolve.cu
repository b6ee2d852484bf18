
// Convolutions as products on tensor cores, without unfolding their input in memory. C defines sizes
// and offsets, for up to three spatial axes. Elements of f32 are rounded to tf32 when they are packed
// or transposed.

template <int BYTES>
struct Bits;
template <>
struct Bits<2> {
    typedef u16 type;
    static __device__ __forceinline__ u16 rounded(u16 x) { return x; }
};
template <>
struct Bits<4> {
    typedef u32 type;
    static __device__ __forceinline__ u32 rounded(u32 x) { return tensor_float(__uint_as_float(x)); }
};

__device__ __forceinline__ bool is_within(int x, int size) { return (u32)x < (u32)size; }

// Copies eight or sixteen bytes, or writes zeros.
template <int BYTES>
__device__ __forceinline__ void copy_if(void* to, const void* from, bool valid) {
    static_assert(BYTES == 16 || BYTES == 8, "a copy has 8 or 16 bytes");
    if constexpr (BYTES == 16) {
        copy16_if(to, from, valid);
    } else {
        copy8_if(to, from, valid);
    }
}

template <class E>
struct Steps {
    static const int DEPTH = 128 / (int)sizeof(E);            // elements of a row in one step
    static const int EACH = 16 / (int)sizeof(E);              // elements of one copy
};

// Makes a channels-last copy of the source elements of positions at one tap: [images and groups,
// channels, source] in x becomes [images and groups, positions, PADDED] in y.
// A block has 64 positions of 128 bytes of channels.
template <class E, class C>
struct Turned {
    typedef typename Bits<sizeof(E)>::type Raw;
    static const int EACH = Steps<E>::EACH, WIDE = Steps<E>::DEPTH;
    static const int POSITIONS = C::P0 * C::P1 * C::P2, SIZE = C::X0 * C::X1 * C::X2;
    static const int TILES = (POSITIONS + 63) / 64, PANELS = (C::PADDED + WIDE - 1) / WIDE;

    // The offset of position p in the source, or -1.
    static __device__ __forceinline__ int source(int p) {
        if (p >= POSITIONS) return -1;
        if (C::PLAIN) return p;
        const int x0 = p / (C::P1 * C::P2) * C::M0 + C::A0;
        const int x1 = p / C::P2 % C::P1 * C::M1 + C::A1;
        const int x2 = p % C::P2 * C::M2 + C::A2;
        const bool valid =
            is_within(x0, C::X0) && is_within(x1, C::X1) && is_within(x2, C::X2);
        return valid ? (x0 * C::X1 + x1) * C::X2 + x2 : -1;
    }
};

template <class E, class C>
__device__ __forceinline__ void turn_channels(const E* x, E* y, u8* memory) {
    typedef Turned<E, C> T;
    typedef typename T::Raw Raw;
    const int EACH = T::EACH;
    const int first = (int)(blockIdx.x % T::TILES) * 64;
    const int panel = (int)(blockIdx.x / T::TILES % T::PANELS) * T::WIDE;
    const i64 picture = blockIdx.x / (T::TILES * T::PANELS);
    Raw (*const tile)[64 + 4 / (int)sizeof(E)] = (Raw (*)[64 + 4 / (int)sizeof(E)])memory;
    const int offset = T::source(first + (threadIdx.x & 63));
    const Raw* const from = (const Raw*)x + (picture * C::CHANNELS + panel) * (i64)T::SIZE + offset;
#pragma unroll
    for (int i = 0; i < T::WIDE / 4; i++) {
        const int c = i * 4 + (threadIdx.x >> 6);
        Raw value = 0;
        if (offset >= 0 && panel + c < C::CHANNELS) value = from[(i64)c * T::SIZE];
        tile[c][threadIdx.x & 63] = Bits<sizeof(E)>::rounded(value);
    }
    __syncthreads();
    const int chunk = (threadIdx.x & 7) * EACH;
    if (panel + chunk >= C::PADDED) return;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int own = i * 32 + (threadIdx.x >> 3), p = first + own;
        if (p >= T::POSITIONS) return;
        Pack<Raw, EACH> pack;
#pragma unroll
        for (int e = 0; e < EACH; e++) pack.at[e] = tile[chunk + e][own];
        store<EACH>((Raw*)y + ((picture * T::POSITIONS + p) * C::PADDED + panel + chunk), pack);
    }
}

// The same for few channels, which one thread copies.
template <class E, class C>
__device__ __forceinline__ void turn_few(const E* x, E* y) {
    typedef Turned<E, C> T;
    typedef typename T::Raw Raw;
    const int BLOCKS = (T::POSITIONS + 255) / 256;
    const int p = (int)(blockIdx.x % BLOCKS) * 256 + (int)threadIdx.x;
    const i64 picture = blockIdx.x / BLOCKS;
    if (p >= T::POSITIONS) return;
    const int offset = T::source(p);
    const Raw* const from = (const Raw*)x + picture * C::CHANNELS * (i64)T::SIZE + offset;
    Pack<Raw, C::PADDED> pack = {};
    if (offset >= 0) {
#pragma unroll
        for (int c = 0; c < C::CHANNELS; c++)
            pack.at[c] = Bits<sizeof(E)>::rounded(from[(i64)c * T::SIZE]);
    }
    store<C::PADDED>((Raw*)y + (picture * T::POSITIONS + p) * C::PADDED, pack);
}

// Rows of 128 bytes in shared memory: of the eight parts of sixteen bytes of a row, part c is stored
// at c XOR the row modulo 8, so that eight rows have no bank conflicts.
template <class E>
__device__ __forceinline__ E* row_part(E* rows, int row, int part) {
    return rows + row * Steps<E>::DEPTH + (part ^ (row & 7)) * Steps<E>::EACH;
}

// The same with the summed axis as rows: a panel has 64 terms of 64 columns of sixteen bits.
static const int PANEL = 64 * 64;                             // elements

template <class E>
__device__ __forceinline__ E* across_part(E* panels, int number, int part) {
    return panels + (part >> 3) * PANEL + number * 64 + ((part & 7) ^ (number & 7)) * 8;
}

#ifdef EBB_GROUPS
#define EBB_SUMS_128(c)                                                                      \
    EBB_SUMS(c), "+f"(c[8][0]), "+f"(c[8][1]), "+f"(c[8][2]), "+f"(c[8][3]), "+f"(c[9][0]),  \
        "+f"(c[9][1]), "+f"(c[9][2]), "+f"(c[9][3]), "+f"(c[10][0]), "+f"(c[10][1]),         \
        "+f"(c[10][2]), "+f"(c[10][3]), "+f"(c[11][0]), "+f"(c[11][1]), "+f"(c[11][2]),      \
        "+f"(c[11][3]), "+f"(c[12][0]), "+f"(c[12][1]), "+f"(c[12][2]), "+f"(c[12][3]),      \
        "+f"(c[13][0]), "+f"(c[13][1]), "+f"(c[13][2]), "+f"(c[13][3]), "+f"(c[14][0]),      \
        "+f"(c[14][1]), "+f"(c[14][2]), "+f"(c[14][3]), "+f"(c[15][0]), "+f"(c[15][1]),      \
        "+f"(c[15][2]), "+f"(c[15][3])

#define EBB_SUM_NAMES_128                                                                       \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17,"          \
    " %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34,"     \
    " %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51,"     \
    " %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"

// The descriptor of a factor in shared memory whose rows are across the summed axis: groups of eight
// rows are 1024 bytes apart, panels of 64 columns PANEL elements.
__device__ __forceinline__ u64 factor_across(const void* p) {
    return (u64)((shared_address(p) & 0x3ffff) >> 4) | (u64)(PANEL * 2 >> 4) << 16 | 64ull << 32
        | 1ull << 62;
}

// Adds the product of 64 rows and 64 or 128 rows of the other side, 32 bytes of each, to sums. LEFT
// and RIGHT are 1 if a factor of sixteen bits is stored across the summed axis.
#define EBB_STEP_MULTIPLY(TYPE, NAME, DEEP, MORE, MORE_128)                                    \
    template <int LEFT, int RIGHT>                                                             \
    __device__ __forceinline__ void step_multiply(                                             \
        f32 (&c)[8][4], u64 left, u64 right, const TYPE*) {                                    \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                              \
                     "wgmma.mma_async.sync.aligned.m64n64" DEEP ".f32." NAME "." NAME          \
                     " " EBB_SUM_NAMES ", %32, %33, p, 1, 1" MORE ";\n}"                       \
                     : EBB_SUMS(c)                                                             \
                     : "l"(left), "l"(right), "r"(1), "n"(LEFT), "n"(RIGHT));                  \
    }                                                                                          \
    template <int LEFT, int RIGHT>                                                             \
    __device__ __forceinline__ void step_multiply(                                             \
        f32 (&c)[16][4], u64 left, u64 right, const TYPE*) {                                   \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                              \
                     "wgmma.mma_async.sync.aligned.m64n128" DEEP ".f32." NAME "." NAME         \
                     " " EBB_SUM_NAMES_128 ", %64, %65, p, 1, 1" MORE_128 ";\n}"               \
                     : EBB_SUMS_128(c)                                                         \
                     : "l"(left), "l"(right), "r"(1), "n"(LEFT), "n"(RIGHT));                  \
    }
EBB_STEP_MULTIPLY(bf16, "bf16", "k16", ", %35, %36", ", %67, %68")
EBB_STEP_MULTIPLY(f16, "f16", "k16", ", %35, %36", ", %67, %68")
EBB_STEP_MULTIPLY(f32, "tf32", "k8", "", "")

// The same with the left factor in registers.
__device__ __forceinline__ void own_multiply(f32 (&c)[8][4], const u32 (&a)[4], u64 right) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 " EBB_SUM_NAMES
                 ", {%32, %33, %34, %35}, %36, p, 1, 1;\n}"
                 : EBB_SUMS(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(right), "r"(1));
}
__device__ __forceinline__ void own_multiply(f32 (&c)[16][4], const u32 (&a)[4], u64 right) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 " EBB_SUM_NAMES_128
                 ", {%64, %65, %66, %67}, %68, p, 1, 1;\n}"
                 : EBB_SUMS_128(c)
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(right), "r"(1));
}
#endif

// Makes copies that have arrived visible to all threads of the block.
__device__ __forceinline__ void factors_arrived() {
#ifdef EBB_GROUPS
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    __syncthreads();
}

__device__ __forceinline__ void products_begin() {
#ifdef EBB_GROUPS
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void products_commit() {
#ifdef EBB_GROUPS
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void products_wait() {
#ifdef EBB_GROUPS
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
}

// Adds the product of 64 rows of left, of which this warp has 16, and N times 8 rows of right: one
// step. LEFT and RIGHT are 1 if rows are across the summed axis: a row is then one term of the sum.
// The products run asynchronously until they are waited for.
template <class E, int LEFT, int RIGHT, int N>
__device__ __forceinline__ void add_step(f32 (&sums)[N][4], E* left, E* right) {
#pragma unroll
    for (int d = 0; d < 4; d++) {
#ifdef EBB_GROUPS
        const int deep = d * 2 * Steps<E>::EACH;
        step_multiply<LEFT, RIGHT>(sums,
            LEFT ? factor_across(left + d * 16 * 64) : factor_at(left + deep),
            RIGHT ? factor_across(right + d * 16 * 64) : factor_at(right + deep), (const E*)0);
#else
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5 & 3;
        u32 a[4];
        if constexpr (LEFT) {
            load_transposed(a, across_part(left, d * 16 + (lane & 7) + (lane >> 4) * 8,
                warp * 2 + (lane >> 3 & 1)));
        } else {
            load_matrices(a, row_part(left, warp * 16 + (lane & 15), d * 2 + (lane >> 4)));
        }
#pragma unroll
        for (int j = 0; j < N; j += 2) {
            u32 b[4];
            if constexpr (RIGHT) {
                load_transposed(
                    b, across_part(right, d * 16 + (lane & 15), j + (lane >> 4)));
            } else {
                load_matrices(b,
                    row_part(right, j * 8 + (lane & 7) + (lane >> 4) * 8, d * 2 + (lane >> 3 & 1)));
            }
            multiply(sums[j], a, b[0], b[1], (const E*)0);
            multiply(sums[j + 1], a, b[2], b[3], (const E*)0);
        }
#endif
    }
}

// Gathers the elements of 128 columns from first on: positions of the result at every tap of the
// kernel. A thread copies the same part of four of them.
template <class E, class C>
struct Columns {
    static const int DEPTH = Steps<E>::DEPTH, SIZE = C::X0 * C::X1 * C::X2;
    const E* from[4];
    int at0[4], at1[4], at2[4];

    __device__ __forceinline__ Columns(const E* x, int first, int group) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int column = first + i * 32 + (threadIdx.x >> 3);
            const int p = column % (C::P0 * C::P1 * C::P2), n = column / (C::P0 * C::P1 * C::P2);
            at0[i] = p / (C::P1 * C::P2) * C::M0 + C::A0;
            at1[i] = p / C::P2 % C::P1 * C::M1 + C::A1;
            at2[i] = p % C::P2 * C::M2 + C::A2;
            if (column >= C::COLUMNS) at2[i] = -(1 << 24);
            from[i] = x + ((i64)n * C::GROUPS + group) * ((i64)C::PIXEL * SIZE);
        }
    }

    __device__ __forceinline__ void load(E* to, int step) const {
        int t, c;
        if (C::PADDED % DEPTH == 0) {
            const int each = C::PADDED / DEPTH;
            t = step / each;
            c = step % each * DEPTH + (threadIdx.x & 7) * Steps<E>::EACH;
        } else {
            const int k = step * DEPTH + (threadIdx.x & 7) * Steps<E>::EACH;
            t = k / C::PADDED;
            c = k % C::PADDED;
        }
        const int t0 = t / (C::N1 * C::N2) * C::B0, t1 = t / C::N2 % C::N1 * C::B1;
        const int t2 = t % C::N2 * C::B2;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int x0 = at0[i] + t0, x1 = at1[i] + t1, x2 = at2[i] + t2;
            const bool valid = t < C::N0 * C::N1 * C::N2 && is_within(x0, C::X0)
                && is_within(x1, C::X1) && is_within(x2, C::X2);
            const E* const source = from[i] + ((i64)((x0 * C::X1 + x1) * C::X2 + x2) * C::PIXEL + c);
            copy16_if(row_part(to, i * 32 + (int)(threadIdx.x >> 3), threadIdx.x & 7),
                valid ? source : from[i], valid);
        }
    }
};

// The same if each position reads one element, directly from x, [images, groups, PADDED, positions]:
// one row per channel, across the sum. A thread copies eight positions of four channels.
template <class E, class C>
struct Straight {
    static const int SIZE = C::P0 * C::P1 * C::P2, WIDTH = SIZE % 8 == 0 ? 8 : 4;
    const E* from[8 / WIDTH];

    __device__ __forceinline__ Straight(const E* x, int first, int group) {
#pragma unroll
        for (int e = 0; e < 8 / WIDTH; e++) {
            const int column = first + (int)(threadIdx.x & 15) * 8 + e * WIDTH;
            from[e] = column < C::COLUMNS
                ? x + (((i64)(column / SIZE) * C::GROUPS + group) * C::PADDED * SIZE + column % SIZE)
                : (const E*)0;
        }
    }

    __device__ __forceinline__ void load(E* to, const E* x, int step) const {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int number = i * 16 + (int)(threadIdx.x >> 4), c = step * 64 + number;
#pragma unroll
            for (int e = 0; e < 8 / WIDTH; e++) {
                const bool valid = c < C::PADDED && from[e] != (const E*)0;
                copy_if<WIDTH * 2>(across_part(to, number, threadIdx.x & 15) + e * WIDTH,
                    valid ? from[e] + (i64)c * SIZE : x, valid);
            }
        }
    }
};

// The output of a convolution, or the gradient of its input at positions of one phase of the stride:
// [images, groups, rows, positions]. A block of two groups of four warps has 64 M rows and 128
// columns; data are prefetched some steps ahead of the products. If STRAIGHT, x is read without a copy.
template <class E, class C, int M, bool STRAIGHT>
__device__ __forceinline__ void convolve_columns(const E* weights, const E* x, E* y, u8* memory) {
    const int ROWS = 64 * M, DEPTH = Steps<E>::DEPTH, STAGE = (ROWS + 128) * DEPTH;
    const int STAGES = M == 2 ? 3 : 4, N = 8 * M;
    const int lane = threadIdx.x & 31, own = threadIdx.x >> 7;
    const int down = M == 2 ? own * 64 : 0, across = M == 2 ? 0 : own * 64;
    const int top = (int)(blockIdx.x % C::ROW_TILES) * ROWS;
    const int first = (int)(blockIdx.x / C::ROW_TILES % C::COLUMN_TILES) * 128;
    const int group = (int)(blockIdx.x / (C::ROW_TILES * C::COLUMN_TILES));
    const int line = top + (int)(threadIdx.x >> 3);
    weights += ((i64)group * C::ROWS + line) * (C::STEPS * DEPTH) + (threadIdx.x & 7) * Steps<E>::EACH;
    E* const stages = (E*)memory;
    const Columns<E, C> columns(x, first, group);
    const Straight<E, C> straight(x, first, group);
    f32 sums[N][4] = {};
    const auto fetch = [&](E* to, int step) {
#pragma unroll
        for (int i = 0; i < ROWS / 32; i++) {
            const bool valid = line + i * 32 < C::ROWS;
            const E* const source = weights + ((i64)i * 32 * C::STEPS * DEPTH + step * DEPTH);
            copy16_if(row_part(to, i * 32 + (int)(threadIdx.x >> 3), threadIdx.x & 7),
                valid ? source : weights - (i64)line * (C::STEPS * DEPTH), valid);
        }
        if constexpr (STRAIGHT) {
            straight.load(to + ROWS * DEPTH, x, step);
        } else {
            columns.load(to + ROWS * DEPTH, step);
        }
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < C::STEPS) fetch(stages + s * STAGE, s);
        copies_commit();
    }
    int now = 0, next = STAGES - 1;
#pragma unroll 1
    for (int t = 0; t < C::STEPS; t++) {
        copies_wait<STAGES - 2>();
        factors_arrived();
        products_begin();
        E* const stage = stages + now * STAGE;
        add_step<E, 0, STRAIGHT, N>(sums, stage + down * DEPTH, stage + (ROWS + across) * DEPTH);
        products_commit();
        if (t + STAGES - 1 < C::STEPS) fetch(stages + next * STAGE, t + STAGES - 1);
        copies_commit();
        products_wait();
        now = now + 1 == STAGES ? 0 : now + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
    // rows of positions go through shared memory, so that whole cache lines are written
    __syncthreads();
    const int PITCH = 128 + 8;
#pragma unroll
    for (int j = 0; j < N; j++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int row = down + (int)(threadIdx.x >> 5 & 3) * 16 + i * 8 + (lane >> 2);
            Pack<E, 2> pair;
            pair.at[0] = Down<E>::of(sums[j][i * 2]);
            pair.at[1] = Down<E>::of(sums[j][i * 2 + 1]);
            store<2>(stages + row * PITCH + across + j * 8 + (lane & 3) * 2, pair);
        }
    }
    __syncthreads();
    const int size = C::P0 * C::P1 * C::P2, EACH = Steps<E>::EACH;
    const int W = size % EACH == 0 ? EACH : size % (EACH / 2) == 0 ? EACH / 2 : 1, PARTS = 128 / W;
    const int part = (int)(threadIdx.x % PARTS) * W, column = first + part;
    if (column >= C::COLUMNS) return;
    y += (((i64)(column / size) * C::GROUPS + group) * C::ROWS + top) * size + column % size;
#pragma unroll 4
    for (int row = threadIdx.x / PARTS; row < ROWS; row += 256 / PARTS) {
        if (top + row >= C::ROWS) return;
        store<W>(y + (i64)row * size, load<W>(stages + row * PITCH + part));
    }
}
