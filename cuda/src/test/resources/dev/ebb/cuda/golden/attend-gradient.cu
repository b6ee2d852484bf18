// workspace: 1056 bytes
// launch attend_queries: 40 blocks of 256 threads, 10496 bytes shared, on [In[index=0], In[index=1], In[index=2], In[index=3], In[index=4], In[index=5], Out[index=0], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(256) attend_queries(void* p0, void* p1, void* p2, void* p3, void* p4, void* p5, void* p6, void* p7) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int top = (int)(blockIdx.x % 5) * 8;
    const ofs head = blockIdx.x / 5 % 4;
    const ofs b = blockIdx.x / 20;
    const int own = top + warp;
    const int row = own < 33 ? own : 32;
    const ofs n = head;
    const int i = row;
    f32* const keys = (f32*)memory + 0;
    f32* const values = (f32*)memory + 1056;
    f32* const query = (f32*)memory + 2112 + warp * 32;
    for (int d = lane; d < 32; d += 32) query[d] = up(((const bf16*)p0)[(ofs)0 + b * 4224 + n * 1056 + (ofs)(row) * 32 + d]);
    f32* const dout = (f32*)memory + 2368 + warp * 32;
    for (int d = lane; d < 32; d += 32) dout[d] = up(((const bf16*)p4)[(ofs)0 + b * 4224 + n * 1056 + (ofs)(row) * 32 + d]);
    __syncwarp();
    f32 inner = 0.0f;
    for (int d = 0; d < 32; d++) inner = multiply_add(dout[d], up(((const bf16*)p3)[(ofs)0 + b * 4224 + n * 1056 + (ofs)(row) * 32 + d]), inner);
    const ofs number = (b * 4 + n) * 33 + i;
    if (lane == 0 && own == row) ((f32*)p7)[number] = inner;
    const f32 logsum = up(((const f32*)p5)[number]);
    const int seen = logsum == -F32_INFINITY ? 0 : max(0, min(40, i + (8)));
    const int end = max(0, min(40, min(top + 7, 32) + (8)));
    f32 total[1] = {};
    for (int first = 0; first < end; first += 32) {
        __syncthreads();
        for (int x = threadIdx.x; x < 1024; x += 256) {
            const int r = x / 32, d = x % 32;
            keys[r * 33 + d] = first + r < 40 ? up(((const bf16*)p1)[(ofs)0 + b * 2560 + (n / 2) * 1280 + (ofs)(first + r) * 32 + d]) : 0.0f;
        }
        for (int x = threadIdx.x; x < 1024; x += 256) {
            const int r = x / 32, d = x % 32;
            values[r * 33 + d] = first + r < 40 ? up(((const bf16*)p2)[(ofs)0 + b * 2560 + (n / 2) * 1280 + (ofs)(first + r) * 32 + d]) : 0.0f;
        }
        __syncthreads();
        const int j = first + lane;
        f32 ds = 0.0f;
        f32 dot = 0.0f;
#pragma unroll 8
        for (int d = 0; d < 32; d++) dot = multiply_add(query[d], keys[lane * 33 + d], dot);
        f32 dp = 0.0f;
#pragma unroll 8
        for (int d = 0; d < 32; d++) dp = multiply_add(dout[d], values[lane * 33 + d], dp);
        if (j < seen) {
            f32 s;
            s = dot * 0.25f;
            ds = fn_exp(s - logsum) * (dp - inner) * 0.25f;
        }
        for (int r = 0; r < 32; r++) {
            const f32 f = __shfl_sync(0xffffffffu, ds, r);
#pragma unroll
            for (int x = 0; x < 1; x++) {
                const int d = lane + 32 * x;
                if (d < 32) total[x] = multiply_add(f, keys[r * 33 + d], total[x]);
            }
        }
    }
    if (own != row) return;
#pragma unroll
    for (int x = 0; x < 1; x++) {
        const int d = lane + 32 * x;
        if (d < 32) ((bf16*)p6)[(ofs)0 + b * 4224 + n * 1056 + (ofs)(row) * 32 + d] = Down<bf16>::of(total[x]);
    }
}

// launch attend_keys: 20 blocks of 256 threads, 10496 bytes shared, on [In[index=0], In[index=1], In[index=2], In[index=3], In[index=4], In[index=5], Out[index=1], Out[index=2], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(256) attend_keys(void* p0, void* p1, void* p2, void* p3, void* p4, void* p5, void* p6, void* p7, void* p8) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    EBB_SHARED(memory);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int top = (int)(blockIdx.x % 5) * 8;
    const ofs head = blockIdx.x / 5 % 2;
    const ofs b = blockIdx.x / 10;
    const int own = top + warp;
    const int row = own < 40 ? own : 39;
    const int j = row;
    f32* const queries = (f32*)memory + 0;
    f32* const douts = (f32*)memory + 1056;
    f32* const key = (f32*)memory + 2112 + warp * 32;
    for (int d = lane; d < 32; d += 32) key[d] = up(((const bf16*)p1)[(ofs)0 + b * 2560 + head * 1280 + (ofs)(row) * 32 + d]);
    f32* const value = (f32*)memory + 2368 + warp * 32;
    for (int d = lane; d < 32; d += 32) value[d] = up(((const bf16*)p2)[(ofs)0 + b * 2560 + head * 1280 + (ofs)(row) * 32 + d]);
    f32 dkey[1] = {};
    f32 dvalue[1] = {};
    for (ofs n = head * 2; n < (head + 1) * 2; n++) {
        for (int first = max(0, top - 7) / 32 * 32; first < 33; first += 32) {
            __syncthreads();
            for (int x = threadIdx.x; x < 1024; x += 256) {
                const int r = x / 32, d = x % 32;
                queries[r * 33 + d] = first + r < 33 ? up(((const bf16*)p0)[(ofs)0 + b * 4224 + n * 1056 + (ofs)(first + r) * 32 + d]) : 0.0f;
            }
            for (int x = threadIdx.x; x < 1024; x += 256) {
                const int r = x / 32, d = x % 32;
                douts[r * 33 + d] = first + r < 33 ? up(((const bf16*)p4)[(ofs)0 + b * 4224 + n * 1056 + (ofs)(first + r) * 32 + d]) : 0.0f;
            }
            __syncthreads();
            const int i = first + lane;
            f32 p = 0.0f, ds = 0.0f;
            f32 dot = 0.0f;
#pragma unroll 8
            for (int d = 0; d < 32; d++) dot = multiply_add(key[d], queries[lane * 33 + d], dot);
            f32 dp = 0.0f;
#pragma unroll 8
            for (int d = 0; d < 32; d++) dp = multiply_add(value[d], douts[lane * 33 + d], dp);
            if (i < 33 && j < max(0, min(40, i + (8)))) {
                const ofs number = (b * 4 + n) * 33 + i;
                const f32 logsum = up(((const f32*)p5)[number]);
                if (logsum != -F32_INFINITY) {
                    f32 s;
                    s = dot * 0.25f;
                    p = fn_exp(s - logsum);
                    ds = p * (dp - ((const f32*)p8)[number]) * 0.25f;
                }
            }
            for (int r = 0; r < 32; r++) {
                const f32 f = __shfl_sync(0xffffffffu, ds, r);
#pragma unroll
                for (int x = 0; x < 1; x++) {
                    const int d = lane + 32 * x;
                    if (d < 32) dkey[x] = multiply_add(f, queries[r * 33 + d], dkey[x]);
                }
            }
            for (int r = 0; r < 32; r++) {
                const f32 f = __shfl_sync(0xffffffffu, p, r);
#pragma unroll
                for (int x = 0; x < 1; x++) {
                    const int d = lane + 32 * x;
                    if (d < 32) dvalue[x] = multiply_add(f, douts[r * 33 + d], dvalue[x]);
                }
            }
        }
    }
    if (own != row) return;
#pragma unroll
    for (int x = 0; x < 1; x++) {
        const int d = lane + 32 * x;
        if (d < 32) ((bf16*)p6)[(ofs)0 + b * 2560 + head * 1280 + (ofs)(row) * 32 + d] = Down<bf16>::of(dkey[x]);
    }
#pragma unroll
    for (int x = 0; x < 1; x++) {
        const int d = lane + 32 * x;
        if (d < 32) ((bf16*)p7)[(ofs)0 + b * 2560 + head * 1280 + (ofs)(row) * 32 + d] = Down<bf16>::of(dvalue[x]);
    }
}
