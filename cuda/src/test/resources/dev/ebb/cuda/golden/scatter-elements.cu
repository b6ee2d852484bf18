// workspace: 576 bytes
// zero 576 bytes of Work[offset=0]

// launch scatter: 1 blocks of 128 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0], Fault[], Node[], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(128) scatter(void* p0, void* p1, void* p2, void* p3, void* p4, void* p5) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num column = (num)blockIdx.x * 128 + threadIdx.x;
    if (column >= 8) return;
    const ofs ci0 = (ofs)(column);
    const ofs c0 = ci0;
    const ofs c1 = ci0;
    const ofs c2 = ci0;
    for (num s = 0; s < 40; s++) {
        const ofs ri0 = (ofs)(s);
        const ofs r0 = c0;
        const ofs r1 = c1 + ri0 * 8;
        const ofs r2 = c2 + ri0 * 8;
        f64* const to = (f64*)p5 + r0 + within(((const i64*)p0)[r1], 9, (i64*)p3, (i64)p4) * 8;
        *to = Down<f64>::of(add(up(*to), (f64)up(((const bf16*)p1)[r2])));
    }
}

// launch map: 1 blocks of 256 threads, 0 bytes shared, on [Work[offset=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) map(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 8;
    if (at >= 72) return;
    const ofs i0 = (ofs)(at);
    const ofs o0 = i0;
    const Pack<f64, 8> a0 = load<8>((const f64*)p0 + o0);
    Pack<bf16, 8> r0;
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const f32 t1 = bfloat_rounded(Down<f32>::of(up(a0.at[e])));
        r0.at[e] = Down<bf16>::of(t1);
    }
    store<8>((bf16*)p1 + at, r0);
}
