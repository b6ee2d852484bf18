// workspace: 0 bytes
// launch contract: 2 blocks of 256 threads, 0 bytes shared, on [In[index=0], In[index=1], In[index=2], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) contract(void* p0, void* p1, void* p2, void* p3) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    __shared__ f32 left[16][65];
    __shared__ f32 right[16][65];
    const num across = blockIdx.x % 1 * 64;
    const num down = blockIdx.x / 1 % 1 * 64;
    const num batch = blockIdx.x / 1;
    const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
    const ofs b0 = (ofs)(batch);
    const ofs s0 = b0 * 99;
    const ofs s1 = b0 * 110;
    const ofs s2 = 0;
    f32 sum[4][4] = {};
    for (num depth = 0; depth < 11; depth += 16) {
#pragma unroll
        for (int r = 0; r < 4; r++) {
            {
                const int t = threadIdx.x & 15, i = (threadIdx.x >> 4) + 16 * r;
                const num x = down + i, z = depth + t;
                left[t][i] = x < 9 && z < 11 ? up(((const f32*)p0)[s0 + (ofs)x * 11 + (ofs)z * 1]) : 0.0f;
            }
            {
                const int i = threadIdx.x & 63, t = (threadIdx.x >> 6) + 4 * r;
                const num x = across + i, z = depth + t;
                right[t][i] = x < 10 && z < 11 ? up(((const f32*)p1)[s1 + (ofs)x * 1 + (ofs)z * 10]) : 0.0f;
            }
        }
        __syncthreads();
#pragma unroll
        for (int t = 0; t < 16; t++) {
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    sum[i][j] = multiply_add(left[t][ty * 4 + i], right[t][tx + 16 * j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const num y = down + ty * 4 + i, x = across + tx + 16 * j;
            if (y < 9 && x < 10) {
                const num at = (batch * 9 + y) * 10 + x;
                const f32 e0 = up(((const f32*)p2)[s2 + (ofs)y * 0 + (ofs)x * 1]);
                const f32 t2 = sum[i][j] + e0;
                ((f32*)p3)[at] = Down<f32>::of(t2);
            }
        }
    }
}
