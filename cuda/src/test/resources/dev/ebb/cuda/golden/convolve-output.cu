// workspace: 0 bytes
// launch convolve: 2 blocks of 128 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) convolve(void* p0, void* p1, void* p2) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    f32 sum = 0.0f;
    const num at = (num)blockIdx.x * 128 + threadIdx.x;
    if (at >= 192) return;
    num i_rest = at;
    const int i4 = (int)(i_rest % 4);
    i_rest /= 4;
    const int i3 = (int)(i_rest % 3);
    i_rest /= 3;
    const int i2 = (int)(i_rest % 4);
    i_rest /= 4;
    const int i1 = (int)(i_rest % 2);
    i_rest /= 2;
    const int i0 = (int)(i_rest % 2);
    i_rest /= 2;
    const int y0 = i3;
    const int y1 = i4;
    for (int c = 0; c < 3; c++) {
        for (int t0 = 0; t0 < 3; t0++) {
            for (int t1 = 0; t1 < 2; t1++) {
                const int x0 = y0 * 2 + t0 * 1 - 1;
                if (x0 < 0 || x0 >= 6) continue;
                const int x1 = y1 * 2 + t1 * 1 - 1;
                if (x1 < 0 || x1 >= 7) continue;
                sum = multiply_add(up(((const f32*)p0)[((((num)i0 * 6 + i1 * 3 + c) * 6 + x0) * 7 + x1)]), up(((const f32*)p1)[(((((num)i1 * 4 + i2) * 3 + c) * 3 + t0) * 2 + t1)]), sum);
            }
        }
    }
    ((f32*)p2)[at] = Down<f32>::of(sum);
}
