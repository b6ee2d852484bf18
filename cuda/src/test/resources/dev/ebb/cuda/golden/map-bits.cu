// workspace: 0 bytes
// launch map: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0], Out[index=1]]
extern "C" __global__ void __launch_bounds__(256) map(void* p0, void* p1, void* p2, void* p3) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 8;
    if (at >= 120) return;
    const ofs i0 = (ofs)(at);
    const ofs o0 = i0;
    const Pack<f32, 8> a0 = load<8>((const f32*)p0 + o0);
    const ofs o1 = i0;
    const Pack<f32, 8> a1 = load<8>((const f32*)p1 + o1);
    u32 r0 = 0;
    Pack<bf16, 8> r1;
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const bool t2 = up(a0.at[e]) < up(a1.at[e]);
        const f32 t3 = t2 ? up(a0.at[e]) : up(a1.at[e]);
        r0 |= (u32)t2 << e;
        r1.at[e] = Down<bf16>::of(t3);
    }
    ((u8*)p2)[at >> 3] = (u8)r0;
    store<8>((bf16*)p3 + at, r1);
}
