// workspace: 2112 bytes
// launch attend_queries: 8 blocks of 128 threads, 41984 bytes shared, on [In[index=0], In[index=1], In[index=2], In[index=3], In[index=4], In[index=5], Out[index=0], Work[offset=0]]
struct AttendSizes {
    static const int WIDTH = 32;
    static const int VALUES = 32;
    static const int QUERIES = 33;
    static const int KEYS = 40;
    static const int HEADS = 4;
    static const int GROUP = 2;
    static const bool MASKED = false;
    static constexpr f32 SCALE = 0.25f;
    static __device__ __forceinline__ int seen(int i) { return max(0, min(40, i + (8))); }
    static __device__ __forceinline__ int first(int j) { return max(0, min(33, j - (7))); }
    static __device__ __forceinline__ f32 mask(const void* p, i64 b, i64 n, int i, int j) { return 0.0f; }
    static __device__ __forceinline__ i64 query(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 QUERY_ROW = 32;
    static __device__ __forceinline__ i64 key(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 KEY_ROW = 32;
    static __device__ __forceinline__ i64 value(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 VALUE_ROW = 32;
    static __device__ __forceinline__ i64 result(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 RESULT_ROW = 32;
    static __device__ __forceinline__ i64 dresult(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 DRESULT_ROW = 32;
    static __device__ __forceinline__ i64 dquery(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 DQUERY_ROW = 32;
    static __device__ __forceinline__ i64 dkey(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 DKEY_ROW = 32;
    static __device__ __forceinline__ i64 dvalue(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 DVALUE_ROW = 32;
};
extern "C" __global__ void __launch_bounds__(128) attend_queries(void* p0, void* p1, void* p2, void* p3, void* p4, void* p5, void* p6, void* p7) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    attend_backward_queries<Warps<bf16>, bf16, AttendSizes, 2, 64, false>(
        (const bf16*)p0, (const bf16*)p1, (const bf16*)p2, 0,
        (const bf16*)p3, (const bf16*)p4, (const f32*)p5, (bf16*)p6, (Pack<f32, 2>*)p7, memory);
}

// launch attend_keys: 4 blocks of 128 threads, 31744 bytes shared, on [In[index=0], In[index=1], In[index=2], In[index=3], In[index=4], In[index=5], Out[index=1], Out[index=2], Work[offset=0]]
struct AttendSizes {
    static const int WIDTH = 32;
    static const int VALUES = 32;
    static const int QUERIES = 33;
    static const int KEYS = 40;
    static const int HEADS = 4;
    static const int GROUP = 2;
    static const bool MASKED = false;
    static constexpr f32 SCALE = 0.25f;
    static __device__ __forceinline__ int seen(int i) { return max(0, min(40, i + (8))); }
    static __device__ __forceinline__ int first(int j) { return max(0, min(33, j - (7))); }
    static __device__ __forceinline__ f32 mask(const void* p, i64 b, i64 n, int i, int j) { return 0.0f; }
    static __device__ __forceinline__ i64 query(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 QUERY_ROW = 32;
    static __device__ __forceinline__ i64 key(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 KEY_ROW = 32;
    static __device__ __forceinline__ i64 value(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 VALUE_ROW = 32;
    static __device__ __forceinline__ i64 result(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 RESULT_ROW = 32;
    static __device__ __forceinline__ i64 dresult(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 DRESULT_ROW = 32;
    static __device__ __forceinline__ i64 dquery(i64 b, i64 n) { return 0LL + b * 4224 + n * 1056; }
    static const i64 DQUERY_ROW = 32;
    static __device__ __forceinline__ i64 dkey(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 DKEY_ROW = 32;
    static __device__ __forceinline__ i64 dvalue(i64 b, i64 n) { return 0LL + b * 2560 + n * 1280; }
    static const i64 DVALUE_ROW = 32;
};
extern "C" __global__ void __launch_bounds__(128, 3) attend_keys(void* p0, void* p1, void* p2, void* p3, void* p4, void* p5, void* p6, void* p7, void* p8) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    attend_backward_keys<Warps<bf16>, bf16, AttendSizes, 1, 64, false, true, true>(
        (const bf16*)p0, (const bf16*)p1, (const bf16*)p2, 0,
        (const bf16*)p4, (const Pack<f32, 2>*)p8, (bf16*)p6, (bf16*)p7, memory);
}
