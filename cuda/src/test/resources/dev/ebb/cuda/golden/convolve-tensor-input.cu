// workspace: 68608 bytes
// launch pack: 12 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=7680]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 3072) return;
    const int k = (int)(at % 64);
    const num line = at / 64;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    typedef Bits<2> B;
    B::type x = 0;
    if (c < 32 && tap < 1) {
        const num t = (((0) * 1 + 0 + tap / 1 % 1 * 1) * 3 + 1 + tap / 1 % 1 * 2) * 3 + 1 + tap / 1 % 1 * 2;
        x = ((const B::type*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((B::type*)p1)[at] = B::rounded(x);
}

// launch convolve: 2 blocks of 256 threads, 98304 bytes shared, on [Work[offset=7680], In[index=1], Work[offset=0]]
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
    static const int X1 = 4;
    static const int Q1 = 8;
    static const int P1 = 4;
    static const int M1 = 1;
    static const int A1 = 0;
    static const int B1 = -1;
    static const int G1 = 2;
    static const int F1 = 0;
    static const int N1 = 1;
    static const int X2 = 5;
    static const int Q2 = 9;
    static const int P2 = 5;
    static const int M2 = 1;
    static const int A2 = 0;
    static const int B2 = -1;
    static const int G2 = 2;
    static const int F2 = 0;
    static const int N2 = 1;
    static const int GROUPS = 2;
    static const int ROWS = 24;
    static const int PADDED = 32;
    static const int PIXEL = 32;
    static const int STEPS = 1;
    static const int COLUMNS = 80;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 1, true>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}

// launch turn: 8 blocks of 256 threads, 8448 bytes shared, on [In[index=1], Work[offset=19968]]
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
    static const int X1 = 4;
    static const int Q1 = 4;
    static const int P1 = 4;
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
    static const int CHANNELS = 32;
    static const int PADDED = 32;
    static const bool PLAIN = true;
};
extern "C" __global__ void __launch_bounds__(256) turn(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    turn_channels<bf16, ConvolveSizes>((const bf16*)p0, (bf16*)p1, memory);
}

// launch pack: 12 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=30208]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 3072) return;
    const int k = (int)(at % 64);
    const num line = at / 64;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    typedef Bits<2> B;
    B::type x = 0;
    if (c < 32 && tap < 2) {
        const num t = (((0) * 1 + 0 + tap / 2 % 1 * 1) * 3 + 1 + tap / 2 % 1 * 2) * 3 + 0 + tap / 1 % 2 * 2;
        x = ((const B::type*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((B::type*)p1)[at] = B::rounded(x);
}

// launch convolve: 2 blocks of 256 threads, 98304 bytes shared, on [Work[offset=30208], Work[offset=19968], Work[offset=13824]]
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
    static const int X1 = 4;
    static const int Q1 = 8;
    static const int P1 = 4;
    static const int M1 = 1;
    static const int A1 = 0;
    static const int B1 = -1;
    static const int G1 = 2;
    static const int F1 = 0;
    static const int N1 = 1;
    static const int X2 = 5;
    static const int Q2 = 9;
    static const int P2 = 4;
    static const int M2 = 1;
    static const int A2 = 1;
    static const int B2 = -1;
    static const int G2 = 2;
    static const int F2 = 1;
    static const int N2 = 2;
    static const int GROUPS = 2;
    static const int ROWS = 24;
    static const int PADDED = 32;
    static const int PIXEL = 32;
    static const int STEPS = 1;
    static const int COLUMNS = 64;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 1, false>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}

// launch pack: 12 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=44032]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 3072) return;
    const int k = (int)(at % 64);
    const num line = at / 64;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    typedef Bits<2> B;
    B::type x = 0;
    if (c < 32 && tap < 2) {
        const num t = (((0) * 1 + 0 + tap / 2 % 1 * 1) * 3 + 0 + tap / 1 % 2 * 2) * 3 + 1 + tap / 1 % 1 * 2;
        x = ((const B::type*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((B::type*)p1)[at] = B::rounded(x);
}

// launch convolve: 2 blocks of 256 threads, 98304 bytes shared, on [Work[offset=44032], Work[offset=19968], Work[offset=36352]]
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
    static const int X1 = 4;
    static const int Q1 = 8;
    static const int P1 = 4;
    static const int M1 = 1;
    static const int A1 = 1;
    static const int B1 = -1;
    static const int G1 = 2;
    static const int F1 = 1;
    static const int N1 = 2;
    static const int X2 = 5;
    static const int Q2 = 9;
    static const int P2 = 5;
    static const int M2 = 1;
    static const int A2 = 0;
    static const int B2 = -1;
    static const int G2 = 2;
    static const int F2 = 0;
    static const int N2 = 1;
    static const int GROUPS = 2;
    static const int ROWS = 24;
    static const int PADDED = 32;
    static const int PIXEL = 32;
    static const int STEPS = 1;
    static const int COLUMNS = 80;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 1, false>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}

// launch pack: 24 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=56320]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 6144) return;
    const int k = (int)(at % 128);
    const num line = at / 128;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    typedef Bits<2> B;
    B::type x = 0;
    if (c < 32 && tap < 4) {
        const num t = (((0) * 1 + 0 + tap / 4 % 1 * 1) * 3 + 0 + tap / 2 % 2 * 2) * 3 + 0 + tap / 1 % 2 * 2;
        x = ((const B::type*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((B::type*)p1)[at] = B::rounded(x);
}

// launch convolve: 2 blocks of 256 threads, 98304 bytes shared, on [Work[offset=56320], Work[offset=19968], Work[offset=50176]]
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
    static const int X1 = 4;
    static const int Q1 = 8;
    static const int P1 = 4;
    static const int M1 = 1;
    static const int A1 = 1;
    static const int B1 = -1;
    static const int G1 = 2;
    static const int F1 = 1;
    static const int N1 = 2;
    static const int X2 = 5;
    static const int Q2 = 9;
    static const int P2 = 4;
    static const int M2 = 1;
    static const int A2 = 1;
    static const int B2 = -1;
    static const int G2 = 2;
    static const int F2 = 1;
    static const int N2 = 2;
    static const int GROUPS = 2;
    static const int ROWS = 24;
    static const int PADDED = 32;
    static const int PIXEL = 32;
    static const int STEPS = 2;
    static const int COLUMNS = 64;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
};
extern "C" __global__ void __launch_bounds__(256, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 1, false>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}

// launch phases: 54 blocks of 256 threads, 0 bytes shared, on [Work[offset=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) phases(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 1;
    if (at >= 13824) return;
    const num picture = at / 72;
    const int y0 = (int)(at / 72 % 1);
    const int y1 = (int)(at / 9 % 8);
    Pack<bf16, 1> pack;
#pragma unroll
    for (int e = 0; e < 1; e++) {
        const int y2 = (int)(at % 9) + e;
        bf16 x{};
        switch ((y0 % 1 * 2 + y1 % 2) * 2 + y2 % 2) {
            case 0:
                x = ((const bf16*)((const u8*)p0 + 0LL))[((picture * 1 + y0 / 1) * 4 + y1 / 2) * 5 + y2 / 2];
                break;
            case 1:
                x = ((const bf16*)((const u8*)p0 + 13824LL))[((picture * 1 + y0 / 1) * 4 + y1 / 2) * 4 + y2 / 2];
                break;
            case 2:
                x = ((const bf16*)((const u8*)p0 + 36352LL))[((picture * 1 + y0 / 1) * 4 + y1 / 2) * 5 + y2 / 2];
                break;
            case 3:
                x = ((const bf16*)((const u8*)p0 + 50176LL))[((picture * 1 + y0 / 1) * 4 + y1 / 2) * 4 + y2 / 2];
                break;
        }
        pack.at[e] = x;
    }
    store<1>((bf16*)p1 + at, pack);
}
