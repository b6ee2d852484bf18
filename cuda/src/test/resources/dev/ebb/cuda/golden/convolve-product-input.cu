// workspace: 225536 bytes
// product Product[gemm=Gemm[type=bf16, result=bf16, tensorFloats=false, bias=false, batch=4, m=24, n=72, k=32, rowsA=false, leadA=24, stepA=0, offsetA=0, rowsB=true, leadB=72, stepB=2304, offsetB=0], a=In[index=0], b=In[index=1], c=Out[index=0], bias=Optional.empty, workspace=0]
