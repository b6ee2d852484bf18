// workspace: 0 bytes
// launch pad: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) pad(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num first = ((num)blockIdx.x * 256 + threadIdx.x) * 4;
    if (first >= 60) return;
    Pack<f32, 4> r;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const num x = first + e;
        bool inside = true;
        const num i1 = x % 10 - 1;
        inside = inside && i1 < 8;
        const num r1 = x / 10;
        const num i0 = r1 - 1;
        inside = inside && i0 < 2;
        r.at[e] = Down<f32>::of(1.0f);
        if (inside) r.at[e] = ((const f32*)p0)[(i0 * 8 + i1)];
    }
    store<4>((f32*)p1 + first, r);
}
