// workspace: 0 bytes
// launch map: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) map(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 1;
    if (at >= 35) return;
    const ofs i1 = (ofs)(at % 7);
    const num ir1 = at / 7;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = i0 + i1 * 5;
    const Pack<f32, 1> a0 = strided<1>((const f32*)p0 + o0, 5, 1);
    Pack<f32, 1> r0;
#pragma unroll
    for (int e = 0; e < 1; e++) {
        const f32 t1 = neg(up(a0.at[e]));
        r0.at[e] = Down<f32>::of(t1);
    }
    store<1>((f32*)p1 + at, r0);
}
