// workspace: 640000 bytes
// launch rows: 4 blocks of 512 threads, 0 bytes shared, on [In[index=0], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(512) rows(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const u32 lane = threadIdx.x % 512;
    const num chunk = blockIdx.x;
    num row = chunk * 16;
    f32* const total0 = (f32*)p1 + chunk * 40000;
    for (num c = lane * 4; c < 40000; c += 2048)
        for (int e = 0; e < 4; e++) if (c + e < 40000) total0[c + e] = 0.0f;
    const num end = row + 16 < 64 ? row + 16 : 64;
    for (; row < end; row++) {
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
        for (num c = lane * 4, j = 0; c < 40000; c += 2048, j++) {
            const num last = 40000;
            const Pack<f32, 4> a0 = load<4>((const f32*)p0 + s0 + c);
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const num x = c + e;
                const ofs d0 = (ofs)(x);
                const f32 t2 = up(a0.at[e]) - n0;
                total0[x] = add(total0[x], t2);
            }
        }
    }
}

// launch chunks: 1250 blocks of 1024 threads, 0 bytes shared, on [Work[offset=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(1024) chunks(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    __shared__ f32 shares[32][32];
    const u32 x = threadIdx.x & 31, y = threadIdx.x >> 5;
    const void* from = p0;
    void* to = p1;
    const num column = (num)blockIdx.x * 32 + x;
    const num first = y * 1;
    f32 sum = 0.0f;
    if (column < 40000) {
        const f32* const part = (const f32*)from + column;
        for (num c = first; c < first + 1; c += 1) {
            f32 parts[1];
#pragma unroll
            for (int i = 0; i < 1; i++)
                parts[i] = c + i < first + 1 && c + i < 4 ? part[(c + i) * 40000] : 0.0f;
#pragma unroll
            for (int i = 0; i < 1; i++) sum = add(sum, parts[i]);
        }
    }
    shares[y][x] = sum;
    __syncthreads();
    if (y > 0 || column >= 40000) return;
#pragma unroll
    for (int s = 1; s < 32; s++) sum = add(sum, shares[s][x]);
    ((f32*)to)[column] = Down<f32>::of(sum);
}
