// workspace: 0 bytes
// launch rows: 16 blocks of 128 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(128) rows(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const u32 lane = threadIdx.x % 32;
    const num row = (num)blockIdx.x * 4 + threadIdx.x / 32;
    if (row >= 64) return;
    const ofs k0 = (ofs)(row);
    const ofs s0 = k0 * 1024;
    Pack<bf16, 4> a0[8];
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const num c = (lane + j * 32) * 4;
        if (c < 1024) {
            a0[j] = load<4>((const bf16*)p0 + s0 + c);
        }
    }
    f32 n0 = -F32_INFINITY;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const num c = (lane + j * 32) * 4;
        if (c < 1024) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const num x = c + e;
                const ofs d0 = (ofs)(x);
                n0 = maximum(n0, up(a0[j].at[e]));
            }
        }
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        n0 = maximum(n0, __shfl_xor_sync(0xffffffffu, n0, far));
    }
    f32 n1 = 0.0f;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const num c = (lane + j * 32) * 4;
        if (c < 1024) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const num x = c + e;
                const ofs d0 = (ofs)(x);
                const f32 t2 = up(a0[j].at[e]) - n0;
                const f32 t3 = fn_exp(t2);
                n1 = add(n1, t3);
            }
        }
    }
#pragma unroll
    for (int far = 16; far > 0; far >>= 1) {
        n1 = add(n1, __shfl_xor_sync(0xffffffffu, n1, far));
    }
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const num c = (lane + j * 32) * 4;
        if (c < 1024) {
            Pack<bf16, 4> r0;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                const num x = c + e;
                const ofs d0 = (ofs)(x);
                const f32 t2 = up(a0[j].at[e]) - n0;
                const f32 t3 = quick_exp(t2);
                const f32 t5 = quick_divide(t3, n1);
                r0.at[e] = Down<bf16>::of(t5);
            }
            store<4>((bf16*)p1 + row * 1024 + c, r0);
        }
    }
}
