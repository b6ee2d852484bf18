// workspace: 0 bytes
// launch rows: 64 blocks of 512 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(512) rows(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const u32 lane = threadIdx.x % 512;
    const num row = blockIdx.x;
    const ofs k0 = (ofs)(row);
    const ofs s0 = k0 * 40000;
    f32 n0 = -F32_INFINITY;
    for (num begin = 0; begin < 40000; begin += 16384) {
        const bool first = begin == 0;
        const num last = begin + 16384 < 40000 ? begin + 16384 : 40000;
        f32 part0 = -F32_INFINITY;
#pragma unroll 8
        for (num c = begin + lane * 4; c < last; c += 2048) {
            const Pack<f32, 4> a0 = load<4>((const f32*)p0 + s0 + c);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const num x = c + e;
                const ofs d0 = (ofs)(x);
                part0 = maximum(part0, up(a0.at[e]));
            }
        }
#pragma unroll
        for (int far = 16; far > 0; far >>= 1) {
            part0 = maximum(part0, __shfl_xor_sync(0xffffffffu, part0, far));
        }
        {
            __shared__ f32 warps_part0[16];
            __syncthreads();
            if ((threadIdx.x & 31) == 0) {
                warps_part0[threadIdx.x >> 5] = part0;
            }
            __syncthreads();
            part0 = warps_part0[0];
#pragma unroll
            for (int w = 1; w < 16; w++) part0 = maximum(part0, warps_part0[w]);
        }
        n0 = first ? part0 : maximum(n0, part0);
    }
    f32 n1 = 0.0f;
    for (num begin = 0; begin < 40000; begin += 16384) {
        const bool first = begin == 0;
        const num last = begin + 16384 < 40000 ? begin + 16384 : 40000;
        f32 part1 = 0.0f;
#pragma unroll 8
        for (num c = begin + lane * 4; c < last; c += 2048) {
            const Pack<f32, 4> a0 = load<4>((const f32*)p0 + s0 + c);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const num x = c + e;
                const ofs d0 = (ofs)(x);
                const f32 t2 = up(a0.at[e]) - n0;
                const f32 t3 = fn_exp(t2);
                part1 = add(part1, t3);
            }
        }
#pragma unroll
        for (int far = 16; far > 0; far >>= 1) {
            part1 = add(part1, __shfl_xor_sync(0xffffffffu, part1, far));
        }
        {
            __shared__ f32 warps_part1[16];
            __syncthreads();
            if ((threadIdx.x & 31) == 0) {
                warps_part1[threadIdx.x >> 5] = part1;
            }
            __syncthreads();
            part1 = warps_part1[0];
#pragma unroll
            for (int w = 1; w < 16; w++) part1 = add(part1, warps_part1[w]);
        }
        n1 = first ? part1 : add(n1, part1);
    }
    f32 n2;
    {
        const ofs d0 = (ofs)(0);
        const f32 t1 = fn_log(n1);
        const f32 t3 = t1 + n0;
        n2 = t3;
    }
    if (lane == 0) ((f32*)p1)[row] = Down<f32>::of(n2);
}
