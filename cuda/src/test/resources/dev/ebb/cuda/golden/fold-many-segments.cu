// workspace: 512 bytes
// launch fold: 123 blocks of 512 threads, 0 bytes shared, on [In[index=0], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(512) fold(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num part = blockIdx.x;
    const u32 lane = threadIdx.x % 512;
    const num row = part / 123;
    const num first = part % 123 * 16384;
    const num last = first + 16384 < 2000000 ? first + 16384 : 2000000;
    const ofs s0 = 0;
    f32 sum = 0.0f;
#pragma unroll 8
    for (num c = first + lane * 4; c < last; c += 2048) {
        const Pack<bf16, 4> a0 = load<4>((const bf16*)p0 + s0 + c);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const num x = c + e;
            const ofs d0 = (ofs)(x);
            const f32 t1 = up(a0.at[e]) * up(a0.at[e]);
            sum = add(sum, t1);
        }
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        sum = add(sum, __shfl_xor_sync(0xffffffffu, sum, far));
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
        for (int w = 1; w < 16; w++) sum = add(sum, warps_sum[w]);
    }
    if (lane == 0) ((f32*)p1)[part] = Down<f32>::of(sum);
}

// launch fold: 1 blocks of 128 threads, 0 bytes shared, on [Work[offset=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) fold(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num part = (num)blockIdx.x * 4 + threadIdx.x / 32;
    if (part >= 1) return;
    const u32 lane = threadIdx.x % 32;
    const num row = part;
    const num first = 0, last = 123;
    const ofs s0 = 0;
    f32 sum = 0.0f;
#pragma unroll 8
    for (num c = first + lane * 4; c < last; c += 128) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const num x = c + e;
            if (x >= last) break;
            const ofs d0 = (ofs)(x);
            const f32 x0 = up(((const f32*)p0)[s0 + d0]);
            sum = add(sum, x0);
        }
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        sum = add(sum, __shfl_xor_sync(0xffffffffu, sum, far));
    }
    if (lane == 0) ((bf16*)p1)[part] = Down<bf16>::of(sum);
}
