// workspace: 0 bytes
// launch fill: 1 blocks of 256 threads, 0 bytes shared, on [Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) fill(void* p0) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at < 60) ((f32*)p0)[at] = Down<f32>::of(1.0f);
}

// launch copy: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) copy(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 1;
    if (at >= 16) return;
    const ofs i1 = (ofs)(at % 8);
    const num ir1 = at / 8;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = i0 * 8 + i1;
    const ofs o1 = 11 + i0 * 10 + i1;
    store<1>((u32*)p1 + o1, load<1>((const u32*)p0 + o0));
}

// launch copy: 1 blocks of 256 threads, 0 bytes shared, on [In[index=1], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) copy(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 1;
    if (at >= 6) return;
    const ofs i1 = (ofs)(at % 3);
    const num ir1 = at / 3;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = i0 * 3 + i1;
    const ofs o1 = 23 + i0 * 30 + i1 * 2;
    store<1>((u32*)p1 + o1, load<1>((const u32*)p0 + o0));
}
