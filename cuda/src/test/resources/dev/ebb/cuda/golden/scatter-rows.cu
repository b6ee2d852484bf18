// workspace: 0 bytes
// zero 288 bytes of Out[index=0]

// launch scatter: 9 blocks of 128 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0], Fault[], Node[]]
extern "C" __global__ void __launch_bounds__(128) scatter(void* p0, void* p1, void* p2, void* p3, void* p4) {
    typedef u32 num;
    typedef i32 ofs;
    __shared__ u32 found[4];
    const i64 place = blockIdx.x / 1;
    const num column = blockIdx.x % 1 * 128 + threadIdx.x;
    const num own = column < 8 ? column : 0;
    const ofs ci0 = (ofs)(own);
    const ofs c0 = ci0;
    const ofs c1 = 0;
    const ofs c2 = ci0;
    f64 sum = 0;
    bool any = false;
    for (num base = 0; base < 40; base += 128) {
        bool mine = false;
        if (base + threadIdx.x < 40) {
            const num s = base + threadIdx.x;
            const ofs ri0 = (ofs)(s);
            const ofs r1 = ri0;
            mine = within(((const i32*)p0)[r1], 9, (i64*)p3, (i64)p4) == place;
        }
        const u32 warp = __ballot_sync(0xffffffffu, mine);
        if ((threadIdx.x & 31) == 0) found[threadIdx.x >> 5] = warp;
        __syncthreads();
        for (int w = 0; w < 4; w++) {
            for (u32 left = found[w]; left != 0; left &= left - 1) {
                const num s = base + w * 32 + (__ffs(left) - 1);
                const ofs ri0 = (ofs)(s);
                const ofs r2 = c2 + ri0 * 8;
                sum = add(sum, (f64)up(((const f32*)p1)[r2]));
                any = true;
            }
        }
        __syncthreads();
    }
    if (any && column < 8) ((f32*)p2)[c0 + place * 8] = Down<f32>::of((f32)sum);
}
