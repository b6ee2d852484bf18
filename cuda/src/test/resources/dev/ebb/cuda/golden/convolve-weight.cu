// workspace: 0 bytes
// launch convolve: 144 blocks of 128 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    f32 sum = 0.0f;
    const num at = blockIdx.x;
    num i_rest = at;
    const int i4 = (int)(i_rest % 2);
    i_rest /= 2;
    const int i3 = (int)(i_rest % 3);
    i_rest /= 3;
    const int i2 = (int)(i_rest % 3);
    i_rest /= 3;
    const int i1 = (int)(i_rest % 4);
    i_rest /= 4;
    const int i0 = (int)(i_rest % 2);
    i_rest /= 2;
    const int t0 = i3;
    const int t1 = i4;
    for (num place = threadIdx.x; place < 24; place += 128) {
        num j_rest = place;
        const int j2 = (int)(j_rest % 4);
        j_rest /= 4;
        const int j1 = (int)(j_rest % 3);
        j_rest /= 3;
        const int j0 = (int)(j_rest % 2);
        j_rest /= 2;
        const int y0 = j1;
        const int y1 = j2;
        const int x0 = y0 * 2 + t0 * 1 - 1;
        if (x0 < 0 || x0 >= 6) continue;
        const int x1 = y1 * 2 + t1 * 1 - 1;
        if (x1 < 0 || x1 >= 7) continue;
        sum = multiply_add(up(((const f32*)p0)[((((num)j0 * 6 + i0 * 3 + i2) * 6 + x0) * 7 + x1)]), up(((const f32*)p1)[((((num)j0 * 8 + i0 * 4 + i1) * 3 + y0) * 4 + y1)]), sum);
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        sum = add(sum, __shfl_xor_sync(0xffffffffu, sum, far));
    }
    {
        __shared__ f32 warps_sum[4];
        __syncthreads();
        if ((threadIdx.x & 31) == 0) {
            warps_sum[threadIdx.x >> 5] = sum;
        }
        __syncthreads();
        sum = warps_sum[0];
#pragma unroll
        for (int w = 1; w < 4; w++) sum = add(sum, warps_sum[w]);
    }
    if (threadIdx.x != 0) return;
    ((f32*)p2)[at] = Down<f32>::of(sum);
}
