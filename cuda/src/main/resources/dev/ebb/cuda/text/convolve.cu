
// Convolutions as products on tensor cores, without unfolding their input in memory. C names sizes
// and places, for up to three spatial axes. Elements of f32 are rounded to tf32 where they are packed
// or turned.

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

template <class E>
struct Steps {
    static const int DEPTH = 128 / (int)sizeof(E);            // elements of a row in one step
    static const int EACH = 16 / (int)sizeof(E);              // elements of one copy
};

// Source elements of positions, one tap: [pictures and groups, channels, source] in x becomes
// [pictures and groups, positions, PADDED] in y, so that the channels of a position lie side by side.
// A block has 64 positions of 128 bytes of channels.
template <class E, class C>
__device__ __forceinline__ void turn_channels(const E* x, E* y, u8* memory) {
    typedef typename Bits<sizeof(E)>::type Raw;
    const int EACH = Steps<E>::EACH, WIDE = Steps<E>::DEPTH, POSITIONS = C::P0 * C::P1 * C::P2;
    const int SIZE = C::X0 * C::X1 * C::X2, TILES = (POSITIONS + 63) / 64;
    const int PANELS = (C::PADDED + WIDE - 1) / WIDE;
    Raw (*const tile)[64 + 4 / (int)sizeof(E)] = (Raw (*)[64 + 4 / (int)sizeof(E)])memory;
    const int first = (int)(blockIdx.x % TILES) * 64;
    const int panel = (int)(blockIdx.x / TILES % PANELS) * WIDE;
    const i64 picture = blockIdx.x / (TILES * PANELS);
    {
        const int p = first + (threadIdx.x & 63);
        int offset = p;
        bool valid = p < POSITIONS;
        if (!C::PLAIN) {
            const int x0 = p / (C::P1 * C::P2) * C::M0 + C::A0;
            const int x1 = p / C::P2 % C::P1 * C::M1 + C::A1;
            const int x2 = p % C::P2 * C::M2 + C::A2;
            offset = (x0 * C::X1 + x1) * C::X2 + x2;
            valid = valid && is_within(x0, C::X0) && is_within(x1, C::X1) && is_within(x2, C::X2);
        }
        const Raw* const from =
            (const Raw*)x + (picture * C::CHANNELS + panel) * (i64)SIZE + offset;
#pragma unroll
        for (int i = 0; i < WIDE / 4; i++) {
            const int c = i * 4 + (threadIdx.x >> 6);
            Raw value = 0;
            if (valid && panel + c < C::CHANNELS) value = from[(i64)c * SIZE];
            tile[c][threadIdx.x & 63] = Bits<sizeof(E)>::rounded(value);
        }
    }
    __syncthreads();
    const int chunk = (threadIdx.x & 7) * EACH;
    if (panel + chunk >= C::PADDED) return;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int own = i * 32 + (threadIdx.x >> 3), p = first + own;
        if (p >= POSITIONS) return;
        Pack<Raw, EACH> pack;
#pragma unroll
        for (int e = 0; e < EACH; e++) pack.at[e] = tile[chunk + e][own];
        store<EACH>((Raw*)y + ((picture * POSITIONS + p) * C::PADDED + panel + chunk), pack);
    }
}

// Rows of 128 bytes in shared memory: of the eight parts of sixteen bytes that a row has, part c lies
// at c XOR the row modulo 8, so that eight rows meet no bank twice.
template <class E>
__device__ __forceinline__ E* row_part(E* rows, int row, int part) {
    return rows + row * Steps<E>::DEPTH + (part ^ (row & 7)) * Steps<E>::EACH;
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

// Adds the product of 64 rows and 64 or 128 rows of the other side, 32 bytes of each, to sums.
#define EBB_STEP_MULTIPLY(TYPE, NAME, DEEP, MORE)                                              \
    __device__ __forceinline__ void step_multiply(                                             \
        f32 (&c)[8][4], u64 left, u64 right, const TYPE*) {                                    \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                              \
                     "wgmma.mma_async.sync.aligned.m64n64" DEEP ".f32." NAME "." NAME          \
                     " " EBB_SUM_NAMES ", %32, %33, p, 1, 1" MORE ";\n}"                       \
                     : EBB_SUMS(c)                                                             \
                     : "l"(left), "l"(right), "r"(1));                                         \
    }                                                                                          \
    __device__ __forceinline__ void step_multiply(                                             \
        f32 (&c)[16][4], u64 left, u64 right, const TYPE*) {                                   \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                              \
                     "wgmma.mma_async.sync.aligned.m64n128" DEEP ".f32." NAME "." NAME         \
                     " " EBB_SUM_NAMES_128 ", %64, %65, p, 1, 1" MORE ";\n}"                   \
                     : EBB_SUMS_128(c)                                                         \
                     : "l"(left), "l"(right), "r"(1));                                         \
    }
EBB_STEP_MULTIPLY(bf16, "bf16", "k16", ", 0, 0")
EBB_STEP_MULTIPLY(f16, "f16", "k16", ", 0, 0")
EBB_STEP_MULTIPLY(f32, "tf32", "k8", "")
#endif

// All copies that were waited for have arrived, those of other threads too.
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
// step. The products may run on until they are waited for.
template <class E, int N>
__device__ __forceinline__ void add_step(f32 (&sums)[N][4], E* left, E* right) {
#pragma unroll
    for (int d = 0; d < 4; d++) {
#ifdef EBB_GROUPS
        const int deep = d * 2 * Steps<E>::EACH;
        step_multiply(sums, factor_at(left + deep), factor_at(right + deep), (const E*)0);
#else
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5 & 3;
        u32 a[4];
        load_matrices(a, row_part(left, warp * 16 + (lane & 15), d * 2 + (lane >> 4)));
#pragma unroll
        for (int j = 0; j < N; j += 2) {
            u32 b[4];
            load_matrices(
                b, row_part(right, j * 8 + (lane & 7) + (lane >> 4) * 8, d * 2 + (lane >> 3 & 1)));
            multiply(sums[j], a, b[0], b[1], (const E*)0);
            multiply(sums[j + 1], a, b[2], b[3], (const E*)0);
        }
#endif
    }
}

// The elements of 128 columns from first on: positions of the result, seen through every tap of the
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
            from[i] = x + ((i64)n * C::GROUPS + group) * ((i64)C::PADDED * SIZE);
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
            const E* const source = from[i] + ((i64)((x0 * C::X1 + x1) * C::X2 + x2) * C::PADDED + c);
            copy16_if(row_part(to, i * 32 + (int)(threadIdx.x >> 3), threadIdx.x & 7),
                valid ? source : from[i], valid);
        }
    }
};

// The output of a convolution, or the gradient of its input at positions of one phase of the stride:
// [pictures, groups, rows, positions]. A block of two groups of four warps has 64 M rows and 128
// columns; copies are some steps ahead of the products.
template <class E, class C, int M>
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
    f32 sums[N][4] = {};
    const auto fetch = [&](E* to, int step) {
#pragma unroll
        for (int i = 0; i < ROWS / 32; i++) {
            const bool valid = line + i * 32 < C::ROWS;
            const E* const source = weights + ((i64)i * 32 * C::STEPS * DEPTH + step * DEPTH);
            copy16_if(row_part(to, i * 32 + (int)(threadIdx.x >> 3), threadIdx.x & 7),
                valid ? source : weights - (i64)line * (C::STEPS * DEPTH), valid);
        }
        columns.load(to + ROWS * DEPTH, step);
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
        add_step<E, N>(sums, stage + down * DEPTH, stage + (ROWS + across) * DEPTH);
        products_commit();
        if (t + STAGES - 1 < C::STEPS) fetch(stages + next * STAGE, t + STAGES - 1);
        copies_commit();
        products_wait();
        now = now + 1 == STAGES ? 0 : now + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
    // rows of positions go through shared memory, so that whole lines are written
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

// The gradient of weights sums over all positions of all pictures, LINE numbers apart from picture to
// picture: steps of 64 bytes of them.
template <class E>
struct Sums {
    static const int DEPTH = 64 / (int)sizeof(E), EACH = Steps<E>::EACH;
    static const int PITCH = DEPTH + Fragments<E>::PAD;       // elements from row to row
    static const int WIDE = 128 + 8;                          // and where 128 columns are a row
};

// Rows top to top + COUNT - 1 of [pictures, groups, ROWS, LINE] at the numbers of one step from k on;
// what lies beyond is zero.
template <class E, class C, int ROWS, int COUNT>
__device__ __forceinline__ void load_lines(E* to, const E* from, int group, int top, int k, int end) {
    const int EACH = Sums<E>::EACH, width = C::LINE % EACH == 0 ? EACH : EACH / 2;
#pragma unroll
    for (int e = 0; e < EACH; e += width) {
        const int d = (int)(threadIdx.x & 3) * EACH + e, at = k + d;
        const E* const line = from + (((i64)(at / C::LINE) * C::GROUPS + group) * ROWS * C::LINE
            + at % C::LINE);
#pragma unroll
        for (int i = 0; i < COUNT / 32; i++) {
            const int row = i * 32 + (int)(threadIdx.x >> 2);
            const bool valid = top + row < ROWS && at < end;
            const E* const source = valid ? line + (i64)(top + row) * C::LINE : from;
            if (width == EACH) {
                copy16_if(to + row * Sums<E>::PITCH + d, source, valid);
            } else {
                copy8_if(to + row * Sums<E>::PITCH + d, source, valid);
            }
        }
    }
}

// What 128 columns (a tap of the kernel and a channel each) meet at the positions of one step, a row a
// position: x has been turned.
template <class E, class C>
struct Patches {
    static const int EACH = Sums<E>::EACH, PARTS = 128 / EACH, ROWS = 128 / PARTS;
    static const int SIZE = C::X0 * C::X1 * C::X2, TAPS = C::N0 * C::N1 * C::N2;
    int t0, t1, t2, c;

    __device__ __forceinline__ Patches(int first) {
        const int column = first + (int)(threadIdx.x % PARTS) * EACH, t = column / C::PADDED;
        c = column % C::PADDED;
        t0 = t / (C::N1 * C::N2) * C::B0 + C::A0;
        t1 = t / C::N2 % C::N1 * C::B1 + C::A1;
        t2 = t % C::N2 * C::B2 + C::A2;
        if (t >= TAPS) t2 = -(1 << 24);
    }

    __device__ __forceinline__ void load(E* to, const E* x, int group, int k, int end) const {
#pragma unroll
        for (int i = 0; i < Sums<E>::DEPTH / ROWS; i++) {
            const int row = i * ROWS + (int)(threadIdx.x / PARTS), at = k + row;
            const int n = at / C::LINE, p = at % C::LINE;
            const int x0 = p / (C::P1 * C::P2) * C::M0 + t0, x1 = p / C::P2 % C::P1 * C::M1 + t1;
            const int x2 = p % C::P2 * C::M2 + t2;
            const bool valid = at < end && p < C::P0 * C::P1 * C::P2 && is_within(x0, C::X0)
                && is_within(x1, C::X1) && is_within(x2, C::X2);
            const E* const source = x + ((((i64)n * C::GROUPS + group) * SIZE
                + (x0 * C::X1 + x1) * C::X2 + x2) * C::PADDED + c);
            copy16_if(to + row * Sums<E>::WIDE + (int)(threadIdx.x % PARTS) * EACH,
                valid ? source : x, valid);
        }
    }
};

// STEP rows of 16 columns as the right factor of two products.
template <class E>
__device__ __forceinline__ void column_factors(u32 (&b)[4], const E* at, int stride, int lane) {
    Fragments<E>::columns(b, at, stride, lane);
}
template <>
__device__ __forceinline__ void column_factors<f32>(u32 (&b)[4], const f32* at, int stride, int lane) {
    const f32* const p = at + (lane & 3) * stride + (lane >> 2);
    b[0] = __float_as_uint(p[0]);
    b[1] = __float_as_uint(p[4 * stride]);
    b[2] = __float_as_uint(p[8]);
    b[3] = __float_as_uint(p[4 * stride + 8]);
}

// The gradient of a convolution's weights, summed over a part of all numbers: sums of parts lie one
// after the other, each [groups, rows, columns]. Where x is not TURNED it lies as the gradient of the
// output does. A block of four warps has 32 M rows and 128 columns.
template <class E, class C, int M, bool TURNED>
__device__ __forceinline__ void convolve_weights(const E* x, const E* dy, f32* parts, u8* memory) {
    typedef Fragments<E> F;
    const int ROWS = 32 * M, DEPTH = Sums<E>::DEPTH, PITCH = Sums<E>::PITCH, STAGES = 4;
    const int STAGE = (ROWS + 128) * PITCH, columns = C::N0 * C::N1 * C::N2 * C::PADDED;
    const int lane = threadIdx.x & 31, down = threadIdx.x >> 6, across = threadIdx.x >> 5 & 1;
    const int top = (int)(blockIdx.x % C::ROW_TILES) * ROWS;
    const int first = (int)(blockIdx.x / C::ROW_TILES % C::COLUMN_TILES) * 128;
    const int both = C::ROW_TILES * C::COLUMN_TILES;
    const int group = (int)(blockIdx.x / both % C::GROUPS);
    const int part = (int)(blockIdx.x / (both * C::GROUPS));
    const int start = part * C::PART, end = min(start + C::PART, C::NUMBERS);
    const int count = (end - start + DEPTH - 1) / DEPTH;
    E* const stages = (E*)memory;
    const Patches<E, C> patches(first);
    f32 sums[M][8][4] = {};
    const auto load = [&](E* to, int step) {
        const int k = start + step * DEPTH;
        load_lines<E, C, C::ROWS, ROWS>(to, dy, group, top, k, end);
        if constexpr (TURNED) {
            patches.load(to + ROWS * PITCH, x, group, k, end);
        } else {
            load_lines<E, C, C::PADDED, 128>(to + ROWS * PITCH, x, group, first, k, end);
        }
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) load(stages + s * STAGE, s);
        copies_commit();
    }
#pragma unroll 1
    for (int t = 0; t < count; t++) {
        copies_wait<STAGES - 2>();
        __syncthreads();
        const E* const left = stages + (t & 3) * STAGE + down * 16 * M * PITCH;
        const E* const right = stages + (t & 3) * STAGE + ROWS * PITCH;
        if (t + STAGES - 1 < count) load(stages + ((t + STAGES - 1) & 3) * STAGE, t + STAGES - 1);
        copies_commit();
#pragma unroll
        for (int d = 0; d < DEPTH; d += F::STEP) {
            u32 a[M][4];
#pragma unroll
            for (int m = 0; m < M; m++) {
                F::left(a[m], left + m * 16 * PITCH + d, PITCH, lane);
                if (sizeof(E) == 4) {
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        a[m][i] = nearly_tensor_float(__uint_as_float(a[m][i]));
                }
            }
#pragma unroll
            for (int j = 0; j < 8; j += 2) {
                u32 b[4];
                if constexpr (TURNED) {
                    column_factors<E>(
                        b, right + d * Sums<E>::WIDE + across * 64 + j * 8, Sums<E>::WIDE, lane);
                } else {
                    F::rows(b, right + (across * 64 + j * 8) * PITCH + d, PITCH, lane);
                }
#pragma unroll
                for (int m = 0; m < M; m++) {
                    multiply(sums[m][j], a[m], b[0], b[1], (const E*)0);
                    multiply(sums[m][j + 1], a[m], b[2], b[3], (const E*)0);
                }
            }
        }
    }
#pragma unroll
    for (int m = 0; m < M; m++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int row = top + (down * M + m) * 16 + i * 8 + (lane >> 2);
            if (row >= C::ROWS) continue;
            f32* const to = parts + (((i64)part * C::GROUPS + group) * C::ROWS + row) * columns;
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const int column = first + across * 64 + j * 8 + (lane & 3) * 2;
#pragma unroll
                for (int e = 0; e < 2; e++)
                    if (column + e < columns) to[column + e] = sums[m][j][i * 2 + e];
            }
        }
    }
}
