// workspace: 0 bytes
// launch fold: 1 blocks of 128 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) fold(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num part = (num)blockIdx.x * 4 + threadIdx.x / 32;
    if (part >= 3) return;
    const u32 lane = threadIdx.x % 32;
    const num row = part;
    const num first = 0, last = 1024;
    const ofs k0 = (ofs)(row);
    const ofs s0 = k0 * 1024;
    f32 sum = 0.0f;
#pragma unroll 8
    for (num c = first + lane * 4; c < last; c += 128) {
        const Pack<f32, 4> a0 = load<4>((const f32*)p0 + s0 + c);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            const num x = c + e;
            const ofs d0 = (ofs)(x);
            const f32 t1 = up(a0.at[e]) * up(a0.at[e]);
            sum = add(sum, t1);
        }
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        sum = add(sum, __shfl_xor_sync(0xffffffffu, sum, far));
    }
    if (lane == 0) ((f32*)p1)[part] = Down<f32>::of(sum);
}
