// workspace: 17408 bytes
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

// launch pack: 16 blocks of 256 threads, 0 bytes shared, on [In[index=1], Work[offset=9216]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 4096) return;
    const int k = (int)(at % 128);
    const num line = at / 128;
    const num row = line % 32, group = line / 32;
    const int c = k % 4, tap = k / 24;
    const int more = k % 24 / 4;
    typedef Bits<2> B;
    B::type x = 0;
    if (c < 3 && tap < 5 && more < 5) {
        const num t = (((0) * 1 + 0 + tap / 5 % 1 * 1) * 5 + 0 + tap / 1 % 5 * 1) * 5 + 0 + tap / 1 % 1 * 1;
        x = ((const B::type*)p0)[((group * 32 + row) * 3 + c) * 25 + t + more];
    }
    ((B::type*)p1)[at] = B::rounded(x);
}

// launch convolve: 2 blocks of 256 threads, 98304 bytes shared, on [Work[offset=9216], Work[offset=0], Out[index=0]]
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
    static const int PADDED = 24;
    static const int PIXEL = 8;
    static const int STEPS = 2;
    static const int COLUMNS = 224;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 2;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 1, false>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}
