// workspace: 0 bytes
// launch copy: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) copy(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 8;
    if (at >= 24) return;
    const ofs i1 = (ofs)(at % 8);
    const num ir1 = at / 8;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = i0 * 24 + i1;
    const ofs o1 = i0 * 8 + i1;
    store<8>((u16*)p1 + o1, load<8>((const u16*)p0 + o0));
}

// launch copy: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], Out[index=1]]
extern "C" __global__ void __launch_bounds__(256) copy(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 8;
    if (at >= 48) return;
    const ofs i1 = (ofs)(at % 16);
    const num ir1 = at / 16;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = 8 + i0 * 24 + i1;
    const ofs o1 = i0 * 16 + i1;
    store<8>((u16*)p1 + o1, load<8>((const u16*)p0 + o0));
}
