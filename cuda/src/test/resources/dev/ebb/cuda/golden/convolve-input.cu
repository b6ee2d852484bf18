// workspace: 0 bytes
// launch convolve: 4 blocks of 128 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    f32 sum = 0.0f;
    const num at = (num)blockIdx.x * 128 + threadIdx.x;
    if (at >= 504) return;
    num i_rest = at;
    const int i4 = (int)(i_rest % 7);
    i_rest /= 7;
    const int i3 = (int)(i_rest % 6);
    i_rest /= 6;
    const int i2 = (int)(i_rest % 3);
    i_rest /= 3;
    const int i1 = (int)(i_rest % 2);
    i_rest /= 2;
    const int i0 = (int)(i_rest % 2);
    i_rest /= 2;
    for (int o = 0; o < 4; o++) {
        for (int t0 = 0; t0 < 3; t0++) {
            for (int t1 = 0; t1 < 2; t1++) {
                const int z0 = i3 + 1 - t0 * 1;
                if (z0 < 0 || z0 % 2 != 0 || z0 / 2 >= 3) continue;
                const int y0 = z0 / 2;
                const int z1 = i4 + 1 - t1 * 1;
                if (z1 < 0 || z1 % 2 != 0 || z1 / 2 >= 4) continue;
                const int y1 = z1 / 2;
                sum = multiply_add(up(((const f32*)p0)[(((((num)i1 * 4 + o) * 3 + i2) * 3 + t0) * 2 + t1)]), up(((const f32*)p1)[((((num)i0 * 8 + i1 * 4 + o) * 3 + y0) * 4 + y1)]), sum);
            }
        }
    }
    ((f32*)p2)[at] = Down<f32>::of(sum);
}
