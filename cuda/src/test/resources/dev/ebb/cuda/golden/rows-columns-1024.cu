// workspace: 16384 bytes
// launch rows: 1 blocks of 128 threads, 0 bytes shared, on [In[index=0], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(128) rows(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const u32 lane = threadIdx.x % 32;
    const num chunk = (num)blockIdx.x * 4 + threadIdx.x / 32;
    if (chunk >= 4) return;
    f32 total0[8][4];
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) total0[j][e] = 0.0f;
    const num end = chunk * 16 + 16 < 64 ? chunk * 16 + 16 : 64;
    Pack<f32, 4> a0[8];
    Pack<f32, 4> m0[8];
    {
        const num row = chunk * 16;
        const ofs k0 = (ofs)(row);
        const ofs s0 = k0 * 1024;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const num c = (lane + j * 32) * 4;
            if (c < 1024) {
                m0[j] = load<4>((const f32*)p0 + s0 + c);
            }
        }
    }
    for (num row = chunk * 16; row < end; row++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            a0[j] = m0[j];
        }
        if (row + 1 < end) {
            const num after = row + 1;
            {
                const num row = after;
                const ofs k0 = (ofs)(row);
                const ofs s0 = k0 * 1024;
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    const num c = (lane + j * 32) * 4;
                    if (c < 1024) {
                        m0[j] = load<4>((const f32*)p0 + s0 + c);
                    }
                }
            }
        }
        const ofs k0 = (ofs)(row);
        const ofs s0 = k0 * 1024;
        f32 n0 = -F32_INFINITY;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const num c = (lane + j * 32) * 4;
            if (c < 1024) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const num x = c + e;
                    const ofs d0 = (ofs)(x);
                    n0 = maximum(n0, up(a0[j].at[e]));
                }
            }
        }
#pragma unroll
        for (int far = 16; far > 0; far >>= 1)
            n0 = maximum(n0, __shfl_xor_sync(0xffffffffu, n0, far));
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const num c = (lane + j * 32) * 4;
            if (c < 1024) {
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    const num x = c + e;
                    const ofs d0 = (ofs)(x);
                    const f32 t2 = up(a0[j].at[e]) - n0;
                    total0[j][e] = add(total0[j][e], t2);
                }
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 8; j++) {
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const num x = (lane + j * 32) * 4 + e;
            if (x < 1024) ((f32*)p1)[chunk * 1024 + x] = Down<f32>::of(total0[j][e]);
        }
    }
}

// launch chunks: 32 blocks of 1024 threads, 0 bytes shared, on [Work[offset=0], Out[index=0]]
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
    const num last = first + 1 < 4 ? first + 1 : 4;
    f32 sum = 0.0f;
    if (column < 1024) {
        const f32* const part = (const f32*)from + column;
#pragma unroll 8
        for (num c = first; c < last; c++) sum = add(sum, part[c * 1024]);
    }
    shares[y][x] = sum;
    __syncthreads();
    if (y > 0 || column >= 1024) return;
#pragma unroll
    for (int s = 1; s < 32; s++) sum = add(sum, shares[s][x]);
    ((f32*)to)[column] = Down<f32>::of(sum);
}
