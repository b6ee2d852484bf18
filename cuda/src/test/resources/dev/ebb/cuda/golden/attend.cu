// workspace: 0 bytes
// launch attend: 40 blocks of 256 threads, 9472 bytes shared, on [In[index=0], In[index=1], In[index=2], Out[index=0], Out[index=1]]
extern "C" __global__ void __launch_bounds__(256) attend(void* p0, void* p1, void* p2, void* p3, void* p4) {
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
    f32 total[1] = {};
    f32 most = -F32_INFINITY, sum = 0.0f;
    const int seen = max(0, min(40, i + (8)));
    const int end = max(0, min(40, min(top + 7, 32) + (8)));
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
        f32 s = -F32_INFINITY;
        f32 dot = 0.0f;
#pragma unroll 8
        for (int d = 0; d < 32; d++) dot = multiply_add(query[d], keys[lane * 33 + d], dot);
        if (j < seen) {
            s = dot * 0.25f;
        }
        f32 high = s;
#pragma unroll
        for (int far = 16; far > 0; far >>= 1)
            high = maximum(high, __shfl_xor_sync(0xffffffffu, high, far));
        const f32 now = maximum(most, high);
        const bool none = now == -F32_INFINITY;
        const f32 p = none ? 0.0f : fn_exp(s - now);
        const f32 shrink = none ? 0.0f : fn_exp(most - now);
        f32 more = p;
#pragma unroll
        for (int far = 16; far > 0; far >>= 1)
            more = add(more, __shfl_xor_sync(0xffffffffu, more, far));
        sum = sum * shrink + more;
        most = now;
#pragma unroll
        for (int x = 0; x < 1; x++) total[x] = total[x] * shrink;
        for (int r = 0; r < 32; r++) {
            const f32 f = __shfl_sync(0xffffffffu, p, r);
#pragma unroll
            for (int x = 0; x < 1; x++) {
                const int d = lane + 32 * x;
                if (d < 32) total[x] = multiply_add(f, values[r * 33 + d], total[x]);
            }
        }
    }
    if (own != row) return;
#pragma unroll
    for (int x = 0; x < 1; x++) {
        const int d = lane + 32 * x;
        if (d < 32) ((bf16*)p3)[(ofs)0 + b * 4224 + n * 1056 + (ofs)(row) * 32 + d] = Down<bf16>::of(sum == 0.0f ? 0.0f : total[x] / sum);
    }
    if (lane == 0) ((f32*)p4)[(b * 4 + n) * 33 + i] = Down<f32>::of(sum == 0.0f ? -F32_INFINITY : most + fn_log(sum));
}
