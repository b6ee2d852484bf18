// workspace: 0 bytes
// launch map: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) map(void* p0, void* p1, void* p2) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 4;
    if (at >= 120) return;
    const ofs i1 = (ofs)(at % 20);
    const num ir1 = at / 20;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = i0 * 20 + i1;
    const Pack<f32, 4> a0 = load<4>((const f32*)p0 + o0);
    const ofs o1 = i1;
    const Pack<bf16, 4> a1 = load<4>((const bf16*)p1 + o1);
    Pack<f32, 4> r0;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        const f32 t2 = up(a0.at[e]) + up(a1.at[e]);
        const f32 t3 = fn_tanh(t2);
        r0.at[e] = Down<f32>::of(t3);
    }
    store<4>((f32*)p2 + at, r0);
}
