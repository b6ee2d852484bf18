// workspace: 576 bytes
// zero 288 bytes of Out[index=0]

// zero 576 bytes of Work[offset=0]

// launch scatter_lists: 1 blocks of 128 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0], Fault[], Node[], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(128) scatter_lists(void* p0, void* p1, void* p2, void* p3, void* p4, void* p5) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num s = (num)blockIdx.x * 128 + threadIdx.x;
    if (s >= 40) return;
    const ofs ri0 = (ofs)(s);
    const ofs r1 = ri0;
    u32* const list = (u32*)p5 + within(((const i32*)p0)[r1], 9, (i64*)p3, (i64)p4) * 16;
    const u32 slot = atomicAdd(list, 1u);
    if (slot < 15) list[1 + slot] = (u32)s;
}

// launch scatter: 9 blocks of 128 threads, 0 bytes shared, on [In[index=0], In[index=1], Out[index=0], Fault[], Node[], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(128) scatter(void* p0, void* p1, void* p2, void* p3, void* p4, void* p5) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    __shared__ u32 found[4], order[15];
    const i64 place = blockIdx.x;
    const u32* const list = (const u32*)p5 + place * 16;
    const u32 count = list[0];
    if (count == 0) return;
    if (count <= 15 && threadIdx.x < count) {
        const u32 own = list[1 + threadIdx.x];
        u32 before = 0;
        for (u32 i = 0; i < count; i++) before += list[1 + i] < own;
        order[before] = own;
    }
    __syncthreads();
    for (num first = 0; first < 8; first += 128) {
        const num column = first + threadIdx.x;
        const num own = column < 8 ? column : 0;
        const ofs ci0 = (ofs)(own);
        const ofs c0 = ci0;
        const ofs c1 = 0;
        const ofs c2 = ci0;
        f64 sum = 0;
        if (count <= 15) {
            for (u32 i = 0; i < count; i++) {
                const num s = order[i];
                const ofs ri0 = (ofs)(s);
                const ofs r2 = c2 + ri0 * 8;
                sum = add(sum, (f64)up(((const f32*)p1)[r2]));
            }
        } else {
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
                    }
                }
                __syncthreads();
            }
        }
        if (column < 8) ((f32*)p2)[c0 + place * 8] = Down<f32>::of((f32)sum);
    }
}
