
// The gradient of a convolution's weights: a product summed over all positions of all images, LINE
// positions per image. A block of two groups of four warps sums over a part of the positions for 64 M
// rows (channels of the gradient of the output) and COLUMNS columns (channels of the input at a tap).
// Steps of 128 bytes of positions are prefetched some steps ahead of the products.

// Copies rows from top on of [images, groups, ROWS, LINE] at the positions of one step from k on; rows
// are along the positions, and elements beyond the end are zero.
template <class E, class C, int ROWS, int COUNT>
__device__ __forceinline__ void load_along(E* to, const E* from, int group, int top, int k, int end) {
    const int EACH = Steps<E>::EACH, part = threadIdx.x & 7;
    const int WIDTH = C::LINE % EACH == 0 ? EACH : EACH / 2;
#pragma unroll
    for (int e = 0; e < EACH; e += WIDTH) {
        const int at = k + part * EACH + e;
        const E* const line =
            from + (((i64)(at / C::LINE) * C::GROUPS + group) * ROWS * C::LINE + at % C::LINE);
#pragma unroll
        for (int i = 0; i < COUNT / 32; i++) {
            const int row = i * 32 + (int)(threadIdx.x >> 3);
            const bool valid = top + row < ROWS && at < end;
            const E* const source = valid ? line + (i64)(top + row) * C::LINE : from;
            copy_if<WIDTH * (int)sizeof(E)>(row_part(to, row, part) + e, source, valid);
        }
    }
}

// The same from a channels-last copy, [images, groups, LINE, SIDE], one row per position: COUNT columns
// from top on.
template <class E, class C, int SIDE, int COUNT>
__device__ __forceinline__ void load_across(E* to, const E* from, int group, int top, int k, int end) {
    const int PARTS = COUNT / 8, ROWS = 256 / PARTS, part = (int)threadIdx.x % PARTS;
#pragma unroll
    for (int i = 0; i < 64 / ROWS; i++) {
        const int number = i * ROWS + (int)threadIdx.x / PARTS, at = k + number;
        const bool valid = at < end && top + part * 8 < SIDE;
        const E* const source = from
            + ((((i64)(at / C::LINE) * C::GROUPS + group) * C::LINE + at % C::LINE) * SIDE + top
                + part * 8);
        copy16_if(across_part(to, number, part), valid ? source : from, valid);
    }
}

// Copies the elements that COUNT columns read at the positions of one step, one row per position; x is
// channels-last. A thread copies the same part of several positions.
template <class E, class C, int COUNT>
struct Patches {
    static const int EACH = Steps<E>::EACH, PARTS = COUNT / EACH, ROWS = 256 / PARTS;
    static const int SIZE = C::X0 * C::X1 * C::X2, TAPS = C::N0 * C::N1 * C::N2;
    int t0, t1, t2, c;

    __device__ __forceinline__ Patches(int first) {
        const int column = first + (int)threadIdx.x % PARTS * EACH, t = column / C::PADDED;
        c = column % C::PADDED;
        t0 = t / (C::N1 * C::N2) * C::B0 + C::A0;
        t1 = t / C::N2 % C::N1 * C::B1 + C::A1;
        t2 = t % C::N2 * C::B2 + C::A2;
        if (t >= TAPS) t2 = -(1 << 24);
    }

    // place gives the location of a part of a position.
    template <class P>
    __device__ __forceinline__ void load(const E* x, int group, int k, int end, P place) const {
#pragma unroll
        for (int i = 0; i < Steps<E>::DEPTH / ROWS; i++) {
            const int number = i * ROWS + (int)threadIdx.x / PARTS, at = k + number;
            const int n = at / C::LINE, p = at % C::LINE;
            const int x0 = p / (C::P1 * C::P2) * C::M0 + t0, x1 = p / C::P2 % C::P1 * C::M1 + t1;
            const int x2 = p % C::P2 * C::M2 + t2;
            const bool valid = at < end && p < C::P0 * C::P1 * C::P2 && is_within(x0, C::X0)
                && is_within(x1, C::X1) && is_within(x2, C::X2);
            const E* const source = x + (((i64)n * C::GROUPS + group) * SIZE
                + (x0 * C::X1 + x1) * C::X2 + x2) * C::PIXEL + c;
            copy16_if(place(number, (int)threadIdx.x % PARTS), valid ? source : x, valid);
        }
    }
};

// The rows, columns and positions that a block sums.
template <class C, int ROWS, int COLUMNS, int DEPTH>
struct Share {
    static const int BOTH = C::ROW_TILES * C::COLUMN_TILES;
    int top, first, group, part, start, end, count;

    __device__ __forceinline__ Share() {
        top = (int)(blockIdx.x % C::ROW_TILES) * ROWS;
        first = (int)(blockIdx.x / C::ROW_TILES % C::COLUMN_TILES) * COLUMNS;
        group = (int)(blockIdx.x / BOTH % C::GROUPS);
        part = (int)(blockIdx.x / (BOTH * C::GROUPS));
        start = part * C::PART;
        end = min(start + C::PART, C::NUMBERS);
        count = (end - start + DEPTH - 1) / DEPTH;
    }
};

// Prefetches steps ahead of the products: fetch(stage, step) starts the copy of one, multiply(stage)
// starts its product.
template <int STAGES, class F, class P>
__device__ __forceinline__ void in_stages(u8* memory, int stage, int count, F fetch, P multiply) {
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < count) fetch(memory + s * stage, s);
        copies_commit();
    }
    int now = 0, next = STAGES - 1;
#pragma unroll 1
    for (int t = 0; t < count; t++) {
        copies_wait<STAGES - 2>();
        factors_arrived();
        multiply(memory + now * stage);
        if (t + STAGES - 1 < count) fetch(memory + next * stage, t + STAGES - 1);
        copies_commit();
        products_wait();
        now = now + 1 == STAGES ? 0 : now + 1;
        next = next + 1 == STAGES ? 0 : next + 1;
    }
}

// The layout of the factors: both along the positions; x across them; both across.
enum Laid { ALONG, SPREAD, ACROSS };

// Sums of parts are stored one after the other, each [groups, rows, columns].
template <class E, class C, int M, int COLUMNS, int LAID>
__device__ __forceinline__ void convolve_weights(const E* x, const E* dy, f32* parts, u8* memory) {
    const int ROWS = 64 * M, DEPTH = Steps<E>::DEPTH, STAGES = ROWS + COLUMNS == 256 ? 3 : 4;
    const int N = COLUMNS / (M == 2 ? 8 : 16), columns = C::N0 * C::N1 * C::N2 * C::PADDED;
    const int LEFT = LAID == ACROSS, RIGHT = LAID != ALONG;
    const int lane = threadIdx.x & 31, own = threadIdx.x >> 7;
    const int down = M == 2 ? own * 64 : 0, across = M == 2 ? 0 : own * (COLUMNS / 2);
    const Share<C, ROWS, COLUMNS, DEPTH> share;
    const Patches<E, C, COLUMNS> patches(share.first);
    f32 sums[N][4] = {};
    const auto fetch = [&](u8* stage, int step) {
        const int k = share.start + step * DEPTH;
        E* const left = (E*)stage;
        E* const right = left + ROWS * DEPTH;
        if constexpr (LAID == ACROSS) {
            load_across<E, C, C::SIDE, ROWS>(left, dy, share.group, share.top, k, share.end);
        } else {
            load_along<E, C, C::ROWS, ROWS>(left, dy, share.group, share.top, k, share.end);
        }
        if constexpr (RIGHT) {
            patches.load(x, share.group, k, share.end,
                [&](int number, int part) { return across_part(right, number, part); });
        } else {
            load_along<E, C, C::PADDED, COLUMNS>(right, x, share.group, share.first, k, share.end);
        }
    };
    const auto multiply = [&](u8* stage) {
        products_begin();
        // 64 rows, or 64 columns across the positions, are one panel
        add_step<E, LEFT, RIGHT, N>(
            sums, (E*)stage + down * DEPTH, (E*)stage + (ROWS + across) * DEPTH);
        products_commit();
    };
    in_stages<STAGES>(memory, (ROWS + COLUMNS) * 128, share.count, fetch, multiply);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int row = share.top + down + (int)(threadIdx.x >> 5 & 3) * 16 + i * 8 + (lane >> 2);
        if (row >= C::ROWS) continue;
        f32* const to =
            parts + (((i64)share.part * C::GROUPS + share.group) * C::ROWS + row) * columns;
#pragma unroll
        for (int j = 0; j < N; j++) {
            const int column = share.first + across + j * 8 + (lane & 3) * 2;
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (column + e < columns) to[column + e] = sums[j][i * 2 + e];
        }
    }
}

// The same for tf32, which tensor cores read only along the positions: x is stored across them, so its
// columns are the left factor, which may come from registers. Sums are [groups, columns, rows].
template <class C, int M>
__device__ __forceinline__ void convolve_spread(const f32* x, const f32* dy, f32* parts, u8* memory) {
    const int ROWS = 64 * M, COLUMNS = 128, DEPTH = 32, STAGES = M == 2 ? 3 : 4, N = 8 * M;
    const int PITCH = COLUMNS + 8, columns = C::N0 * C::N1 * C::N2 * C::PADDED;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const Share<C, ROWS, COLUMNS, DEPTH> share;
    const Patches<f32, C, COLUMNS> patches(share.first);
    f32 sums[N][4] = {};
    const auto fetch = [&](u8* stage, int step) {
        const int k = share.start + step * DEPTH;
        f32* const left = (f32*)stage + ROWS * DEPTH;
        load_along<f32, C, C::ROWS, ROWS>((f32*)stage, dy, share.group, share.top, k, share.end);
        patches.load(x, share.group, k, share.end,
            [&](int number, int part) { return left + number * PITCH + part * 4; });
    };
    const auto multiply_step = [&](u8* stage) {
        f32* const right = (f32*)stage;
        const f32* const left =
            right + ROWS * DEPTH + (lane & 3) * PITCH + warp * 16 + (lane >> 2);
        u32 a[4][4];
#pragma unroll
        for (int d = 0; d < 4; d++) {
#pragma unroll
            for (int i = 0; i < 4; i++)
                a[d][i] = __float_as_uint(left[(d * 8 + (i >> 1) * 4) * PITCH + (i & 1) * 8]);
        }
#ifdef EBB_GROUPS
#pragma unroll
        for (int d = 0; d < 4; d++)
            asm volatile("" : "+r"(a[d][0]), "+r"(a[d][1]), "+r"(a[d][2]), "+r"(a[d][3])::"memory");
#endif
        products_begin();
#pragma unroll
        for (int d = 0; d < 4; d++) {
#ifdef EBB_GROUPS
            own_multiply(sums, a[d], factor_at(right + d * 8));
#else
#pragma unroll
            for (int j = 0; j < N; j += 2) {
                u32 b[4];
                load_matrices(b,
                    row_part(right, j * 8 + (lane & 7) + (lane >> 4) * 8, d * 2 + (lane >> 3 & 1)));
                multiply(sums[j], a[d], b[0], b[1], (const f32*)0);
                multiply(sums[j + 1], a[d], b[2], b[3], (const f32*)0);
            }
#endif
        }
        products_commit();
    };
    in_stages<STAGES>(
        memory, (ROWS * DEPTH + DEPTH * PITCH) * 4, share.count, fetch, multiply_step);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int column = share.first + warp * 16 + i * 8 + (lane >> 2);
        if (column >= columns) continue;
        f32* const to =
            parts + (((i64)share.part * C::GROUPS + share.group) * columns + column) * C::ROWS;
#pragma unroll
        for (int j = 0; j < N; j++) {
            const int row = share.top + j * 8 + (lane & 3) * 2;
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (row + e < C::ROWS) to[row + e] = sums[j][i * 2 + e];
        }
    }
}
