// workspace: 2232576 bytes
// product Product[gemm=Gemm[type=f32, result=f32, tensorFloats=true, bias=false, batch=1, m=128, n=256, k=64, rowsA=true, leadA=64, stepA=0, offsetA=0, rowsB=true, leadB=256, stepB=0, offsetB=0], a=In[index=0], b=In[index=1], c=Work[offset=0], bias=Optional.empty, workspace=131072]

// launch map: 16 blocks of 256 threads, 0 bytes shared, on [Work[offset=0], In[index=2], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) map(void* p0, void* p1, void* p2) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 8;
    if (at >= 32768) return;
    const ofs i1 = (ofs)(at % 256);
    const num ir1 = at / 256;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = i0 * 256 + i1;
    const Pack<f32, 8> a0 = load<8>((const f32*)p0 + o0);
    const ofs o1 = i1;
    const Pack<f32, 8> a1 = load<8>((const f32*)p1 + o1);
    Pack<bf16, 8> r0;
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const f32 t2 = up(a0.at[e]) + up(a1.at[e]);
        const f32 t3 = fn_tanh(t2);
        r0.at[e] = Down<bf16>::of(t3);
    }
    store<8>((bf16*)p2 + at, r0);
}
