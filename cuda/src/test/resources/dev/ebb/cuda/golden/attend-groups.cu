// workspace: 0 bytes
// launch attend: 8 blocks of 128 threads, 40960 bytes shared, on [In[index=0], In[index=1], In[index=2], Out[index=0], Out[index=1]]
struct AttendSizes {
    static const int WIDTH = 64;
    static const int VALUES = 64;
    static const int QUERIES = 33;
    static const int KEYS = 40;
    static const int HEADS = 4;
    static const int GROUP = 2;
    static const bool MASKED = false;
    static constexpr f32 SCALE = 0.25f;
    static __device__ __forceinline__ int seen(int i) { return max(0, min(40, i + (8))); }
    static __device__ __forceinline__ int first(int j) { return max(0, min(33, j - (7))); }
    static __device__ __forceinline__ f32 mask(const void* p, i64 b, i64 n, int i, int j) { return 0.0f; }
    static __device__ __forceinline__ i64 query(i64 b, i64 n) { return 0LL + b * 8448 + n * 2112; }
    static const i64 QUERY_ROW = 64;
    static __device__ __forceinline__ i64 key(i64 b, i64 n) { return 0LL + b * 5120 + n * 2560; }
    static const i64 KEY_ROW = 64;
    static __device__ __forceinline__ i64 value(i64 b, i64 n) { return 0LL + b * 5120 + n * 2560; }
    static const i64 VALUE_ROW = 64;
    static __device__ __forceinline__ i64 result(i64 b, i64 n) { return 0LL + b * 8448 + n * 2112; }
    static const i64 RESULT_ROW = 64;
};
extern "C" __global__ void __launch_bounds__(128, 4) attend(void* p0, void* p1, void* p2, void* p3, void* p4) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    attend_forward<Groups<bf16>, bf16, AttendSizes, 1, 64, false>(
        (const bf16*)p0, (const bf16*)p1, (const bf16*)p2, 0, (bf16*)p3, (f32*)p4, memory);
}
