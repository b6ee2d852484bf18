
// Convolutions as products on tensor cores, without unfolding their input in memory: a block of four
// warps has 32 M rows and 128 columns of the result, and the elements that a step of the sum needs
// are gathered into shared memory, the next while these are multiplied. Steps are of 64 bytes a row.
// C names sizes and places, for up to three spatial axes.

template <class E>
struct Steps {
    static const int DEPTH = 64 / (int)sizeof(E);             // elements of a row in one step
    static const int PITCH = DEPTH + Fragments<E>::PAD;       // elements from row to row
    static const int EACH = 16 / (int)sizeof(E);              // elements of one copy
};

template <int BYTES>
struct Bits;
template <>
struct Bits<2> {
    typedef u16 type;
    // Sixteen bytes of these elements.
    static __device__ __forceinline__ Pack<u32, 4> together(const u16* x) {
        Pack<u32, 4> p;
#pragma unroll
        for (int i = 0; i < 4; i++) p.at[i] = (u32)x[2 * i] | (u32)x[2 * i + 1] << 16;
        return p;
    }
};
template <>
struct Bits<4> {
    typedef u32 type;
    static __device__ __forceinline__ Pack<u32, 4> together(const u32* x) {
        Pack<u32, 4> p;
#pragma unroll
        for (int i = 0; i < 4; i++) p.at[i] = x[i];
        return p;
    }
};

__device__ __forceinline__ bool is_within(int x, int size) { return (u32)x < (u32)size; }

// Adds the product of a warp's 16 M rows and 64 rows of the other side, one step.
template <class E, int M>
__device__ __forceinline__ void add_step(
    f32 (&sums)[M][8][4], const E* left, const E* right, int lane) {
    typedef Fragments<E> F;
    const int pitch = Steps<E>::PITCH;
#pragma unroll
    for (int d = 0; d < Steps<E>::DEPTH; d += F::STEP) {
        u32 a[M][4];
#pragma unroll
        for (int m = 0; m < M; m++) {
            F::left(a[m], left + m * 16 * pitch + d, pitch, lane);
            if (sizeof(E) == 4) {
#pragma unroll
                for (int i = 0; i < 4; i++) a[m][i] = nearly_tensor_float(__uint_as_float(a[m][i]));
            }
        }
#pragma unroll
        for (int j = 0; j < 8; j += 2) {
            u32 b[4];
            F::rows(b, right + j * 8 * pitch + d, pitch, lane);
#pragma unroll
            for (int m = 0; m < M; m++) {
                multiply(sums[m][j], a[m], b[0], b[1], (const E*)0);
                multiply(sums[m][j + 1], a[m], b[2], b[3], (const E*)0);
            }
        }
    }
}

// The elements of one column: a position of the result, seen through every tap of the kernel.
template <class E, class C>
struct Column {
    typedef typename Bits<sizeof(E)>::type Raw;
    static const int DEPTH = Steps<E>::DEPTH, SIZE = C::X0 * C::X1 * C::X2;
    const Raw* from;
    int at0, at1, at2;
    bool inside;
    Raw raw[DEPTH];

    __device__ __forceinline__ Column(const E* x, int column, int group) {
        inside = column < C::COLUMNS;
        const int p = column % (C::P0 * C::P1 * C::P2), n = column / (C::P0 * C::P1 * C::P2);
        at0 = p / (C::P1 * C::P2) * C::M0 + C::A0;
        at1 = p / C::P2 % C::P1 * C::M1 + C::A1;
        at2 = p % C::P2 * C::M2 + C::A2;
        from = (const Raw*)x + ((i64)n * C::GROUPS + group) * ((i64)C::CHANNELS * SIZE);
    }

    // Where a tap lies in its channel, and whether there is such an element.
    __device__ __forceinline__ bool tap(int t, int& offset) const {
        const int x0 = at0 + t / (C::N1 * C::N2) * C::B0;
        const int x1 = at1 + t / C::N2 % C::N1 * C::B1;
        const int x2 = at2 + t % C::N2 * C::B2;
        offset = (x0 * C::X1 + x1) * C::X2 + x2;
        return inside && is_within(x0, C::X0) && is_within(x1, C::X1) && is_within(x2, C::X2);
    }

    __device__ __forceinline__ void load(int step) {
        if constexpr (C::PADDED % DEPTH == 0) {
            const int each = C::PADDED / DEPTH, c = step % each * DEPTH;
            int offset;
            const bool valid = tap(step / each, offset);
            const Raw* const p = from + ((i64)c * SIZE + offset);
#pragma unroll
            for (int e = 0; e < DEPTH; e++) {
                raw[e] = 0;
                if (valid && (C::CHANNELS % DEPTH == 0 || c + e < C::CHANNELS)) raw[e] = p[e * SIZE];
            }
        } else {
#pragma unroll
            for (int t = 0; t < DEPTH / C::PADDED; t++) {
                const int number = step * (DEPTH / C::PADDED) + t;
                int offset;
                const bool valid = tap(number, offset) && number < C::N0 * C::N1 * C::N2;
#pragma unroll
                for (int c = 0; c < C::PADDED; c++) {
                    raw[t * C::PADDED + c] = 0;
                    if (valid && c < C::CHANNELS) raw[t * C::PADDED + c] = from[offset + c * SIZE];
                }
            }
        }
    }

    __device__ __forceinline__ void store(E* to) const {
#pragma unroll
        for (int e = 0; e < DEPTH; e += Steps<E>::EACH)
            *reinterpret_cast<Pack<u32, 4>*>(to + threadIdx.x * Steps<E>::PITCH + e) =
                Bits<sizeof(E)>::together(raw + e);
    }
};

// ROWS rows of packed weights from row top on, one step.
template <class E, class C, int ROWS>
__device__ __forceinline__ void load_weights(E* to, const E* weights, int top, int step) {
#pragma unroll
    for (int i = 0; i < ROWS * 4 / 128; i++) {
        const int x = i * 128 + threadIdx.x, r = x / 4, d = x % 4 * Steps<E>::EACH;
        E* const place = to + r * Steps<E>::PITCH + d;
        if (top + r < C::ROWS) {
            copy16(place, weights + (i64)(top + r) * C::STEPS * Steps<E>::DEPTH
                + step * Steps<E>::DEPTH + d);
        } else {
            *reinterpret_cast<Pack<u32, 4>*>(place) = Pack<u32, 4>{};
        }
    }
}

// The output of a convolution, or the gradient of its input at positions of one phase of the stride.
template <class E, class C, int M>
__device__ __forceinline__ void convolve_columns(const E* weights, const E* x, E* y, u8* memory) {
    const int ROWS = 32 * M, STAGE = (ROWS + 128) * Steps<E>::PITCH;
    const int lane = threadIdx.x & 31, down = threadIdx.x >> 6, across = threadIdx.x >> 5 & 1;
    const int top = (int)(blockIdx.x % C::ROW_TILES) * ROWS;
    const int first = (int)(blockIdx.x / C::ROW_TILES % C::COLUMN_TILES) * 128;
    const int group = (int)(blockIdx.x / (C::ROW_TILES * C::COLUMN_TILES));
    weights += (i64)group * C::ROWS * C::STEPS * Steps<E>::DEPTH;
    E* const stages = (E*)memory;
    Column<E, C> column(x, first + threadIdx.x, group);
    f32 sums[M][8][4] = {};
    load_weights<E, C, ROWS>(stages, weights, top, 0);
    copies_commit();
    column.load(0);
    column.store(stages + ROWS * Steps<E>::PITCH);
    copies_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int t = 0; t < C::STEPS; t++) {
        E* const now = stages + (t & 1) * STAGE;
        E* const next = stages + (~t & 1) * STAGE;
        if (t + 1 < C::STEPS) {
            load_weights<E, C, ROWS>(next, weights, top, t + 1);
            copies_commit();
            column.load(t + 1);
        }
        add_step<E, M>(sums, now + down * 16 * M * Steps<E>::PITCH,
            now + (ROWS + across * 64) * Steps<E>::PITCH, lane);
        if (t + 1 < C::STEPS) column.store(next + ROWS * Steps<E>::PITCH);
        copies_wait<0>();
        __syncthreads();
    }
    const int size = C::Q0 * C::Q1 * C::Q2, each = C::P0 * C::P1 * C::P2;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        i64 place[2];
        bool there[2];
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const int column = first + across * 64 + j * 8 + (lane & 3) * 2 + e;
            const int p = column % each, n = column / each;
            const int q = ((p / (C::P1 * C::P2) * C::G0 + C::F0) * C::Q1
                + p / C::P2 % C::P1 * C::G1 + C::F1) * C::Q2 + p % C::P2 * C::G2 + C::F2;
            place[e] = ((i64)n * C::GROUPS + group) * ((i64)C::ROWS * size) + q;
            there[e] = column < C::COLUMNS;
        }
#pragma unroll
        for (int m = 0; m < M; m++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int row = top + (down * M + m) * 16 + i * 8 + (lane >> 2);
                if (row >= C::ROWS) continue;
                Pack<E, 2> pair;
                pair.at[0] = Down<E>::of(sums[m][j][i * 2]);
                pair.at[1] = Down<E>::of(sums[m][j][i * 2 + 1]);
                if (C::PAIRS) {
                    if (there[0]) store<2>(y + (place[0] + (i64)row * size), pair);
                } else {
#pragma unroll
                    for (int e = 0; e < 2; e++)
                        if (there[e]) y[place[e] + (i64)row * size] = pair.at[e];
                }
            }
        }
    }
}

// Rows of an output's gradient along its positions, one step from number k on; what lies beyond end
// is zero. TOGETHER neighbours lie in one picture and may be copied at once.
template <class E, class C, int ROWS>
struct Gradient {
    typedef typename Bits<sizeof(E)>::type Raw;
    static const int EACH = Steps<E>::EACH, UNITS = ROWS * 4 / 128, SIZE = C::P0 * C::P1 * C::P2;
    static const bool COPIED = C::TOGETHER * (int)sizeof(E) >= 8;
    Raw raw[COPIED ? 1 : UNITS][EACH];

    static __device__ __forceinline__ i64 place(int k, int row, int group) {
        return ((i64)(k / SIZE) * C::GROUPS + group) * ((i64)C::ROWS * SIZE) + (i64)row * SIZE
            + k % SIZE;
    }

    __device__ __forceinline__ void load(E* to, const E* dy, int group, int top, int k, int end) {
#pragma unroll
        for (int i = 0; i < UNITS; i++) {
            const int x = i * 128 + threadIdx.x, row = top + x / 4, d = x % 4 * EACH;
            E* const part = to + x / 4 * Steps<E>::PITCH + d;
            if constexpr (COPIED) {
                const int width = C::TOGETHER * (int)sizeof(E) >= 16 ? EACH : EACH / 2;
#pragma unroll
                for (int e = 0; e < EACH; e += width) {
                    if (row >= C::ROWS || k + d + e >= end) {
                        *reinterpret_cast<Pack<u32, 2>*>(part + e) = Pack<u32, 2>{};
                        if (width == EACH)
                            *reinterpret_cast<Pack<u32, 2>*>(part + EACH / 2) = Pack<u32, 2>{};
                    } else if (width == EACH) {
                        copy16(part + e, dy + place(k + d + e, row, group));
                    } else {
                        copy8(part + e, dy + place(k + d + e, row, group));
                    }
                }
            } else {
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    raw[i][e] = 0;
                    if (row < C::ROWS && k + d + e < end)
                        raw[i][e] = ((const Raw*)dy)[place(k + d + e, row, group)];
                }
            }
        }
    }

    __device__ __forceinline__ void store(E* to) const {
        if constexpr (!COPIED) {
#pragma unroll
            for (int i = 0; i < UNITS; i++) {
                const int x = i * 128 + threadIdx.x;
                *reinterpret_cast<Pack<u32, 4>*>(to + x / 4 * Steps<E>::PITCH + x % 4 * EACH) =
                    Bits<sizeof(E)>::together(raw[i]);
            }
        }
    }
};

// What the weights of 128 columns (a tap of the kernel and a channel each) meet at the positions of
// one step: lanes go along positions.
template <class E, class C>
struct Patches {
    typedef typename Bits<sizeof(E)>::type Raw;
    static const int DEPTH = Steps<E>::DEPTH, SIDE = 32 / DEPTH;
    static const int SIZE = C::X0 * C::X1 * C::X2, COLUMNS = C::N0 * C::N1 * C::N2 * C::CHANNELS;
    Raw raw[DEPTH];

    static __device__ __forceinline__ bool tap(int t, int at0, int at1, int at2, int& offset) {
        const int x0 = at0 + t / (C::N1 * C::N2) * C::B0;
        const int x1 = at1 + t / C::N2 % C::N1 * C::B1;
        const int x2 = at2 + t % C::N2 * C::B2;
        offset = (x0 * C::X1 + x1) * C::X2 + x2;
        return is_within(x0, C::X0) && is_within(x1, C::X1) && is_within(x2, C::X2);
    }

    __device__ __forceinline__ void load(const E* x, int group, int first, int step, int end) {
        const int lane = threadIdx.x & 31, k = step + lane % DEPTH;
        const int size = C::P0 * C::P1 * C::P2, p = k % size;
        const int at0 = p / (C::P1 * C::P2) * C::M0 + C::A0;
        const int at1 = p / C::P2 % C::P1 * C::M1 + C::A1;
        const int at2 = p % C::P2 * C::M2 + C::A2;
        const Raw* const from =
            (const Raw*)x + ((i64)(k / size) * C::GROUPS + group) * ((i64)C::CHANNELS * SIZE);
        const int begin = first + (threadIdx.x >> 5) * 32, own = lane / DEPTH;
        if constexpr (C::CHANNELS % 32 == 0) {
            int offset;
            const bool valid =
                tap(begin / C::CHANNELS, at0, at1, at2, offset) && k < end && begin < COLUMNS;
            const Raw* const q = from + ((i64)(begin % C::CHANNELS + own) * SIZE + offset);
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                raw[i] = 0;
                if (valid) raw[i] = q[i * SIDE * SIZE];
            }
        } else {
#pragma unroll
            for (int i = 0; i < DEPTH; i++) {
                const int column = begin + i * SIDE + own;
                int offset;
                raw[i] = 0;
                if (tap(column / C::CHANNELS, at0, at1, at2, offset) && k < end && column < COLUMNS)
                    raw[i] = from[column % C::CHANNELS * SIZE + offset];
            }
        }
    }

    __device__ __forceinline__ void store(E* to) const {
        const int lane = threadIdx.x & 31, row = (threadIdx.x >> 5) * 32 + lane / DEPTH;
#pragma unroll
        for (int i = 0; i < DEPTH; i++)
            ((Raw*)to)[(row + i * SIDE) * Steps<E>::PITCH + lane % DEPTH] = raw[i];
    }
};

// The gradient of a convolution's weights, summed over a part of all positions of all pictures: sums
// of parts lie one after the other, each [groups, rows, taps, channels].
template <class E, class C, int M>
__device__ __forceinline__ void convolve_weights(const E* x, const E* dy, f32* parts, u8* memory) {
    const int ROWS = 32 * M, STAGE = (ROWS + 128) * Steps<E>::PITCH, DEPTH = Steps<E>::DEPTH;
    const int lane = threadIdx.x & 31, down = threadIdx.x >> 6, across = threadIdx.x >> 5 & 1;
    const int top = (int)(blockIdx.x % C::ROW_TILES) * ROWS;
    const int first = (int)(blockIdx.x / C::ROW_TILES % C::COLUMN_TILES) * 128;
    const int both = C::ROW_TILES * C::COLUMN_TILES;
    const int group = (int)(blockIdx.x / both % C::GROUPS);
    const int part = (int)(blockIdx.x / (both * C::GROUPS));
    const int start = part * C::PART, end = min(start + C::PART, C::COLUMNS);
    const int count = (end - start + DEPTH - 1) / DEPTH;
    E* const stages = (E*)memory;
    Gradient<E, C, ROWS> left;
    Patches<E, C> right;
    f32 sums[M][8][4] = {};
    left.load(stages, dy, group, top, start, end);
    copies_commit();
    right.load(x, group, first, start, end);
    left.store(stages);
    right.store(stages + ROWS * Steps<E>::PITCH);
    copies_wait<0>();
    __syncthreads();
#pragma unroll 1
    for (int t = 0; t < count; t++) {
        E* const now = stages + (t & 1) * STAGE;
        E* const next = stages + (~t & 1) * STAGE;
        if (t + 1 < count) {
            left.load(next, dy, group, top, start + (t + 1) * DEPTH, end);
            copies_commit();
            right.load(x, group, first, start + (t + 1) * DEPTH, end);
        }
        add_step<E, M>(sums, now + down * 16 * M * Steps<E>::PITCH,
            now + (ROWS + across * 64) * Steps<E>::PITCH, lane);
        if (t + 1 < count) {
            left.store(next);
            right.store(next + ROWS * Steps<E>::PITCH);
        }
        copies_wait<0>();
        __syncthreads();
    }
    const int columns = Patches<E, C>::COLUMNS;
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
