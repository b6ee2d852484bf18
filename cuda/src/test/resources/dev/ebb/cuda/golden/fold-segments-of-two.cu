// workspace: 512 bytes
// launch fold: 6 blocks of 512 threads, 0 bytes shared, on [In[index=0], In[index=1], In[index=2], Work[offset=0], Work[offset=256]]
extern "C" __global__ void __launch_bounds__(512) fold(void* p0, void* p1, void* p2, void* p3, void* p4) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num part = blockIdx.x;
    const u32 lane = threadIdx.x % 512;
    const num row = part / 2;
    const num first = part % 2 * 16384;
    const num last = first + 16384 < 18432 ? first + 16384 : 18432;
    const ofs k0 = (ofs)(row);
    const ofs s0 = k0 * 9216;
    const ofs s1 = k0 * 9216;
    const ofs s2 = k0;
    const f32 f2 = up(((const f32*)p2)[s2]);
    f32 sum0 = 0.0f;
    f32 sum1 = 0.0f;
#pragma unroll 8
    for (num c = first + lane * 4; c < last; c += 2048) {
        const ofs g1 = (ofs)(c % 9216);
        const num gr1 = c / 9216;
        const ofs g0 = (ofs)(gr1);
        const Pack<bf16, 4> a0 = load<4>((const bf16*)p0 + s0 + g0 * 27648 + g1);
        const Pack<bf16, 4> a1 = load<4>((const bf16*)p1 + s1 + g0 * 27648 + g1);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const num x = c + e;
            const ofs d1 = (ofs)(x % 9216);
            const num dr1 = x / 9216;
            const ofs d0 = (ofs)(dr1);
            const f32 t1 = Down<f32>::of(up(a0.at[e]));
            sum0 = add(sum0, t1);
            const f32 t3 = Down<f32>::of(up(a1.at[e]));
            const f32 t5 = t3 - f2;
            const f32 t6 = t5 * t1;
            sum1 = add(sum1, t6);
        }
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        sum0 = add(sum0, __shfl_xor_sync(0xffffffffu, sum0, far));
        sum1 = add(sum1, __shfl_xor_sync(0xffffffffu, sum1, far));
    }
    {
        __shared__ f32 warps_sum0[16];
        __shared__ f32 warps_sum1[16];
        __syncthreads();
        if ((threadIdx.x & 31) == 0) {
            warps_sum0[threadIdx.x >> 5] = sum0;
            warps_sum1[threadIdx.x >> 5] = sum1;
        }
        __syncthreads();
        sum0 = warps_sum0[0];
#pragma unroll
        for (int w = 1; w < 16; w++) sum0 = add(sum0, warps_sum0[w]);
        sum1 = warps_sum1[0];
#pragma unroll
        for (int w = 1; w < 16; w++) sum1 = add(sum1, warps_sum1[w]);
    }
    if (lane == 0) ((f32*)p3)[part] = Down<f32>::of(sum0);
    if (lane == 0) ((f32*)p4)[part] = Down<f32>::of(sum1);
}

// launch segments: 1 blocks of 128 threads, 0 bytes shared, on [Work[offset=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) segments(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num row = (num)blockIdx.x * 128 + threadIdx.x;
    if (row >= 3) return;
    const f32* const part = (const f32*)p0 + row * 2;
    f32 sum = part[0];
#pragma unroll 16
    for (int s = 1; s < 2; s++) sum = add(sum, part[s]);
    ((f32*)p1)[row] = Down<f32>::of(sum);
}

// launch segments: 1 blocks of 128 threads, 0 bytes shared, on [Work[offset=256], Out[index=1]]
extern "C" __global__ void __launch_bounds__(128) segments(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num row = (num)blockIdx.x * 128 + threadIdx.x;
    if (row >= 3) return;
    const f32* const part = (const f32*)p0 + row * 2;
    f32 sum = part[0];
#pragma unroll 16
    for (int s = 1; s < 2; s++) sum = add(sum, part[s]);
    ((f32*)p1)[row] = Down<f32>::of(sum);
}
