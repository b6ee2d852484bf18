// workspace: 24576 bytes
// launch turn: 8 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=0]]
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
    static const int X1 = 16;
    static const int Q1 = 16;
    static const int P1 = 16;
    static const int M1 = 1;
    static const int A1 = 0;
    static const int B1 = 1;
    static const int G1 = 1;
    static const int F1 = 0;
    static const int N1 = 1;
    static const int X2 = 14;
    static const int Q2 = 7;
    static const int P2 = 18;
    static const int M2 = 1;
    static const int A2 = -2;
    static const int B2 = 1;
    static const int G2 = 1;
    static const int F2 = 0;
    static const int N2 = 1;
    static const int CHANNELS = 3;
    static const int PADDED = 4;
    static const bool PLAIN = false;
};
extern "C" __global__ void __launch_bounds__(256) turn(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    turn_few<bf16, ConvolveSizes>((const bf16*)p0, (bf16*)p1);
}

// launch convolve: 1 blocks of 256 threads, 98304 bytes shared, on [Work[offset=0], In[index=1], Work[offset=9216]]
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
    static const int X1 = 16;
    static const int Q1 = 8;
    static const int P1 = 8;
    static const int M1 = 2;
    static const int A1 = -2;
    static const int B1 = 1;
    static const int G1 = 1;
    static const int F1 = 0;
    static const int N1 = 5;
    static const int X2 = 9;
    static const int Q2 = 7;
    static const int P2 = 7;
    static const int M2 = 1;
    static const int A2 = 0;
    static const int B2 = 1;
    static const int G2 = 1;
    static const int F2 = 0;
    static const int N2 = 1;
    static const int GROUPS = 1;
    static const int ROWS = 32;
    static const int SIDE = 32;
    static const int PADDED = 24;
    static const int PIXEL = 8;
    static const int LINE = 56;
    static const int NUMBERS = 224;
    static const int PART = 256;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_weights<bf16, ConvolveSizes, 1, 128, SPREAD>((const bf16*)p0, (const bf16*)p1, (f32*)p2, memory);
}

// launch join: 10 blocks of 256 threads, 0 bytes shared, on [Work[offset=9216], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) join(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num number = (num)blockIdx.x * 256 + threadIdx.x;
    if (number >= 2400) return;
    const num at = number, row = at / 75;
    const num channel = at / 25 % 3, tap = at % 25;
    const num column = tap / 5 * 24 + tap % 5 * 4 + channel;
    const f32* const part = (const f32*)p0 + row * 120 + column;
    f32 sum = part[0];
#pragma unroll 16
    for (int i = 1; i < 1; i++) sum += part[i * (i64)3840];
    ((bf16*)p1)[at] = Down<bf16>::of(sum);
}
