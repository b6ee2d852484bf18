// workspace: 0 bytes
// launch gather: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0], Fault[], Node[]]
extern "C" __global__ void __launch_bounds__(256) gather(void* p0, void* p1, void* p2, void* p3, void* p4) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = ((num)blockIdx.x * 256 + threadIdx.x) * 4;
    if (at >= 320) return;
    const ofs i1 = (ofs)(at % 8);
    const num ir1 = at / 8;
    const ofs i0 = (ofs)(ir1);
    const ofs o0 = i1;
    const ofs o1 = i0 * 8 + i1;
    const ofs o2 = i0;
    const i64 pick = within(((const i32*)p1)[o2], 9LL, (i64*)p3, (i64)p4);
    store<4>((u32*)p2 + o1, load<4>((const u32*)p0 + o0 + pick * 8LL));
}
