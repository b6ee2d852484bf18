// workspace: 114688 bytes
// launch turn: 4 blocks of 256 threads, 8448 bytes shared, on [In[index=0], Work[offset=0]]
struct ConvolveSizes {
    static const int X0 = 1;
    static const int Q0 = 1;
    static const int P0 = 1;
    static const int M0 = 1;
    static const int A0 = 0;
    static const int B0 = 1;
    static const int G0 = 1;
    static const int F0 = 0;
    static const int N0 = 1;
    static const int X1 = 5;
    static const int Q1 = 5;
    static const int P1 = 5;
    static const int M1 = 1;
    static const int A1 = 0;
    static const int B1 = 1;
    static const int G1 = 1;
    static const int F1 = 0;
    static const int N1 = 1;
    static const int X2 = 5;
    static const int Q2 = 5;
    static const int P2 = 5;
    static const int M2 = 1;
    static const int A2 = 0;
    static const int B2 = 1;
    static const int G2 = 1;
    static const int F2 = 0;
    static const int N2 = 1;
    static const int CHANNELS = 24;
    static const int PADDED = 24;
    static const bool PLAIN = true;
};
extern "C" __global__ void __launch_bounds__(256) turn(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    turn_channels<f32, ConvolveSizes>((const f32*)p0, (f32*)p1, memory);
}

// launch lines: 35 blocks of 256 threads, 0 bytes shared, on [In[index=1], Work[offset=9728]]
extern "C" __global__ void __launch_bounds__(256) lines(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 8960) return;
    const num row = at / 28, p = at % 28;
    f32 x{};
    if (p < 25) x = ((const f32*)p0)[row * 25 + p];
    ((f32*)p1)[at] = x;
}

// launch convolve: 2 blocks of 256 threads, 101376 bytes shared, on [Work[offset=0], Work[offset=9728], Work[offset=45568]]
struct ConvolveSizes {
    static const int X0 = 1;
    static const int Q0 = 1;
    static const int P0 = 1;
    static const int M0 = 1;
    static const int A0 = 0;
    static const int B0 = 1;
    static const int G0 = 1;
    static const int F0 = 0;
    static const int N0 = 1;
    static const int X1 = 5;
    static const int Q1 = 5;
    static const int P1 = 5;
    static const int M1 = 1;
    static const int A1 = -1;
    static const int B1 = 1;
    static const int G1 = 1;
    static const int F1 = 0;
    static const int N1 = 3;
    static const int X2 = 5;
    static const int Q2 = 5;
    static const int P2 = 5;
    static const int M2 = 1;
    static const int A2 = -1;
    static const int B2 = 1;
    static const int G2 = 1;
    static const int F2 = 0;
    static const int N2 = 3;
    static const int GROUPS = 1;
    static const int ROWS = 80;
    static const int SIDE = 80;
    static const int PADDED = 24;
    static const int PIXEL = 24;
    static const int LINE = 28;
    static const int NUMBERS = 112;
    static const int PART = 128;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 2;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_spread<ConvolveSizes, 2>((const f32*)p0, (const f32*)p1, (f32*)p2, memory);
}

// launch join: 68 blocks of 256 threads, 0 bytes shared, on [Work[offset=45568], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) join(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num number = (num)blockIdx.x * 256 + threadIdx.x;
    if (number >= 17280) return;
    const num own = number % 80, group = number / 17280;
    const num row = group * 80 + own;
    const num at = row * 216 + number / 80 % 216;
    const num channel = at / 9 % 24, tap = at % 9;
    const num column = tap * 24 + channel;
    const f32* const part = (const f32*)p0 + (group * 216 + column) * 80 + own;
    f32 sum = part[0];
#pragma unroll 16
    for (int i = 1; i < 1; i++) sum += part[i * (i64)17280];
    ((f32*)p1)[at] = Down<f32>::of(sum);
}
