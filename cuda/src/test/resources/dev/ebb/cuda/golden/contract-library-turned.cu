// workspace: 8425728 bytes
// launch turn: 8 blocks of 256 threads, 0 bytes shared, on [In[index=0], Work[offset=0]]
extern "C" __global__ void __launch_bounds__(256) turn(void* p0, void* p1) {
    typedef u64 num;
    typedef i64 ofs;
    await_previous();
    __shared__ f32 tile[32][33];
    const int x = threadIdx.x & 31, y = threadIdx.x >> 5;
    const int free = (int)(blockIdx.x % 4) * 32;
    const int sum = (int)(blockIdx.x / 4) * 32;
#pragma unroll
    for (int r = y; r < 32; r += 8)
        if (sum + r < 64 && free + x < 128) tile[r][x] = ((const f32*)p0)[0LL + (ofs)(sum + r) * 128 + free + x];
    __syncthreads();
#pragma unroll
    for (int r = y; r < 32; r += 8)
        if (free + r < 128 && sum + x < 64) ((f32*)p1)[(ofs)(free + r) * 64 + sum + x] = tile[x][r];
}

// product Product[gemm=Gemm[type=f32, result=f32, tensorFloats=true, bias=false, batch=1, m=128, n=1024, k=64, rowsA=true, leadA=64, stepA=0, offsetA=0, rowsB=true, leadB=1024, stepB=0, offsetB=0], a=Work[offset=0], b=In[index=1], c=Out[index=0], bias=Optional.empty, workspace=32768]
