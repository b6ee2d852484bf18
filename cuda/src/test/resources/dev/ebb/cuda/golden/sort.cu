// workspace: 0 bytes
// launch sort: 1 blocks of 256 threads, 0 bytes shared, on [In[index=0], Out[index=0]]
extern "C" __global__ void __launch_bounds__(256) sort(void* p0, void* p1) {
    typedef u32 num;
    typedef i32 ofs;
    await_previous();
    const num at = (num)blockIdx.x * 256 + threadIdx.x;
    if (at >= 54) return;
    const num j = at / 3 % 9;
    const ofs start = at - j * 3;
    const f32 own = up(((const f32*)p0)[at]);
    num place = 0;
    for (num k = 0; k < 9; k++) {
        const f32 x = up(((const f32*)p0)[start + k * 3]);
        const int sign = x < own ? -1 : x > own ? 1 : (int)(x != x) - (int)(own != own);
        if (sign > 0 || (sign == 0 && k < j)) place++;
    }
    ((i64*)p1)[start + place * 3] = (i64)j;
}
