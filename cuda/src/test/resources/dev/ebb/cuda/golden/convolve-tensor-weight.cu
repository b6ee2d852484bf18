// workspace: 82944 bytes
// launch turn: 16 blocks of 256 threads, 8448 bytes shared, on [In[index=0], Work[offset=0]]
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
    static const int X1 = 8;
    static const int Q1 = 8;
    static const int P1 = 8;
    static const int M1 = 1;
    static const int A1 = 0;
    static const int B1 = 1;
    static const int G1 = 1;
    static const int F1 = 0;
    static const int N1 = 1;
    static const int X2 = 9;
    static const int Q2 = 9;
    static const int P2 = 9;
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
    turn_channels<bf16, ConvolveSizes>((const bf16*)p0, (bf16*)p1, memory);
}

// launch convolve: 4 blocks of 256 threads, 98304 bytes shared, on [Work[offset=0], In[index=1], Work[offset=27648]]
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
    static const int X1 = 8;
    static const int Q1 = 4;
    static const int P1 = 4;
    static const int M1 = 2;
    static const int A1 = -1;
    static const int B1 = 1;
    static const int G1 = 1;
    static const int F1 = 0;
    static const int N1 = 3;
    static const int X2 = 9;
    static const int Q2 = 5;
    static const int P2 = 5;
    static const int M2 = 2;
    static const int A2 = -1;
    static const int B2 = 1;
    static const int G2 = 1;
    static const int F2 = 0;
    static const int N2 = 3;
    static const int GROUPS = 2;
    static const int ROWS = 32;
    static const int SIDE = 32;
    static const int PADDED = 24;
    static const int PIXEL = 24;
    static const int LINE = 20;
    static const int NUMBERS = 80;
    static const int PART = 128;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 2;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_weights<bf16, ConvolveSizes, 1, 128, SPREAD>((const bf16*)p0, (const bf16*)p1, (f32*)p2, memory);
}

// launch join: 54 blocks of 256 threads, 0 bytes shared, on [Work[offset=27648], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) join(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num number = (num)blockIdx.x * 256 + threadIdx.x;
    if (number >= 13824) return;
    const num at = number, row = at / 216;
    const num channel = at / 9 % 24, tap = at % 9;
    const num column = tap * 24 + channel;
    const f32* const part = (const f32*)p0 + row * 216 + column;
    f32 sum = part[0];
#pragma unroll 16
    for (int i = 1; i < 1; i++) sum += part[i * (i64)13824];
    ((bf16*)p1)[at] = Down<bf16>::of(sum);
}
