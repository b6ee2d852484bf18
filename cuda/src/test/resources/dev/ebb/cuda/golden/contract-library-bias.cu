// workspace: 2101504 bytes
// product Product[gemm=Gemm[type=bf16, result=bf16, tensorFloats=false, bias=true, batch=2, m=128, n=256, k=64, rowsA=true, leadA=64, stepA=8192, offsetA=0, rowsB=true, leadB=256, stepB=0, offsetB=0], a=In[index=0], b=In[index=1], c=Out[index=0], bias=Optional[In[index=2]], workspace=0]
