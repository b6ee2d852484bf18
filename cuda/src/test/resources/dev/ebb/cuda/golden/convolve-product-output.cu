// workspace: 299264 bytes
// product Product[gemm=Gemm[type=bf16, result=bf16, tensorFloats=false, bias=false, batch=4, m=32, n=72, k=24, rowsA=true, leadA=24, stepA=0, offsetA=0, rowsB=true, leadB=72, stepB=1728, offsetB=0], a=In[index=1], b=In[index=0], c=Out[index=0], bias=Optional.empty, workspace=0]
