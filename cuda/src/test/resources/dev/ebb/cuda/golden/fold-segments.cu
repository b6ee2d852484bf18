// workspace: 32 bytes
// launch fold: 8 blocks of 512 threads, 0 bytes shared, on [In[index=0], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(512) fold(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num part = blockIdx.x;
    const u32 lane = threadIdx.x % 512;
    const num row = part / 4;
    const num first = part % 4 * 16384;
    const num last = first + 16384 < 50000 ? first + 16384 : 50000;
    const ofs k0 = (ofs)(row);
    const ofs s0 = k0 * 50000;
    f32 sum = -F32_INFINITY;
#pragma unroll 8
    for (num c = first + lane * 4; c < last; c += 2048) {
        const Pack<bf16, 4> a0 = load<4>((const bf16*)p0 + s0 + c);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const num x = c + e;
            const ofs d0 = (ofs)(x);
            sum = maximum(sum, up(a0.at[e]));
        }
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        sum = maximum(sum, __shfl_xor_sync(0xffffffffu, sum, far));
    }
    {
        __shared__ f32 warps_sum[16];
        __syncthreads();
        if ((threadIdx.x & 31) == 0) {
            warps_sum[threadIdx.x >> 5] = sum;
        }
        __syncthreads();
        sum = warps_sum[0];
#pragma unroll
        for (int w = 1; w < 16; w++) sum = maximum(sum, warps_sum[w]);
    }
    if (lane == 0) ((f32*)p1)[part] = Down<f32>::of(sum);
}

// launch segments: 1 blocks of 128 threads, 0 bytes shared, on [Work[offset=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) segments(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num row = (num)blockIdx.x * 128 + threadIdx.x;
    if (row >= 2) return;
    const f32* const part = (const f32*)p0 + row * 4;
    f32 sum = part[0];
#pragma unroll 16
    for (int s = 1; s < 4; s++) sum = maximum(sum, part[s]);
    ((bf16*)p1)[row] = Down<bf16>::of(sum);
}
