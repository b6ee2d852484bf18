// workspace: 0 bytes
// unless In[index=0] lies where Out[index=0] does:
// launch copy: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) copy(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 4;
    if (at >= 60) return;
    const ofs i0 = (ofs)(at);
    const ofs o0 = i0;
    const ofs o1 = i0;
    store<4>((u32*)p1 + o1, load<4>((const u32*)p0 + o0));
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
