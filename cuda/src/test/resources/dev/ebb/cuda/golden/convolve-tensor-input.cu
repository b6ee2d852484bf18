// workspace: 27648 bytes
// launch pack: 6 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 1536) return;
    const int k = (int)(at % 32);
    const num line = at / 32;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    bf16 x{};
    if (c < 32 && tap < 1) {
        const num t = (((0) * 1 + 0 + tap / 1 % 1 * 1) * 3 + 1 + tap / 1 % 1 * 2) * 3 + 1 + tap / 1 % 1 * 2;
        x = ((const bf16*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((bf16*)p1)[at] = x;
}

// launch convolve: 2 blocks of 128 threads, 30720 bytes shared, on [Work[offset=0], In[index=1], Out[index=0]]
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
    static const int CHANNELS = 32;
    static const int PADDED = 32;
    static const int STEPS = 1;
    static const int COLUMNS = 80;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
    static const bool PAIRS = false;
};
extern "C" __global__ void __launch_bounds__(128, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 2>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}

// launch pack: 12 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=3072]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 3072) return;
    const int k = (int)(at % 64);
    const num line = at / 64;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    bf16 x{};
    if (c < 32 && tap < 2) {
        const num t = (((0) * 1 + 0 + tap / 2 % 1 * 1) * 3 + 1 + tap / 2 % 1 * 2) * 3 + 0 + tap / 1 % 2 * 2;
        x = ((const bf16*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((bf16*)p1)[at] = x;
}

// launch convolve: 2 blocks of 128 threads, 30720 bytes shared, on [Work[offset=3072], In[index=1], Out[index=0]]
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
    static const int CHANNELS = 32;
    static const int PADDED = 32;
    static const int STEPS = 2;
    static const int COLUMNS = 64;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
    static const bool PAIRS = false;
};
extern "C" __global__ void __launch_bounds__(128, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 2>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}

// launch pack: 12 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=9216]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 3072) return;
    const int k = (int)(at % 64);
    const num line = at / 64;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    bf16 x{};
    if (c < 32 && tap < 2) {
        const num t = (((0) * 1 + 0 + tap / 2 % 1 * 1) * 3 + 0 + tap / 1 % 2 * 2) * 3 + 1 + tap / 1 % 1 * 2;
        x = ((const bf16*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((bf16*)p1)[at] = x;
}

// launch convolve: 2 blocks of 128 threads, 30720 bytes shared, on [Work[offset=9216], In[index=1], Out[index=0]]
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
    static const int CHANNELS = 32;
    static const int PADDED = 32;
    static const int STEPS = 2;
    static const int COLUMNS = 80;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
    static const bool PAIRS = false;
};
extern "C" __global__ void __launch_bounds__(128, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 2>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}

// launch pack: 24 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=15360]]
extern "C" __global__ void __launch_bounds__(256) pack(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 6144) return;
    const int k = (int)(at % 128);
    const num line = at / 128;
    const num row = line % 24, group = line / 24;
    const int c = k % 32, tap = k / 32;
    bf16 x{};
    if (c < 32 && tap < 4) {
        const num t = (((0) * 1 + 0 + tap / 4 % 1 * 1) * 3 + 0 + tap / 2 % 2 * 2) * 3 + 0 + tap / 1 % 2 * 2;
        x = ((const bf16*)p0)[((group * 32 + c) * 24 + row) * 9 + t];
    }
    ((bf16*)p1)[at] = x;
}

// launch convolve: 2 blocks of 128 threads, 30720 bytes shared, on [Work[offset=15360], In[index=1], Out[index=0]]
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
    static const int CHANNELS = 32;
    static const int PADDED = 32;
    static const int STEPS = 4;
    static const int COLUMNS = 64;
    static const int ROW_TILES = 1;
    static const int COLUMN_TILES = 1;
    static const bool PAIRS = false;
};
extern "C" __global__ void __launch_bounds__(128, 2) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    EBB_SHARED(memory);
    convolve_columns<bf16, ConvolveSizes, 2>((const bf16*)p0, (const bf16*)p1, (bf16*)p2, memory);
}
