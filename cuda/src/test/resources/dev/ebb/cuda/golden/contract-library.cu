// workspace: 1052928 bytes
// product Product[gemm=Gemm[type=bf16, result=bf16, tensorFloats=false, bias=false, batch=1, m=128, n=256, k=64, rowsA=false, leadA=128, stepA=0, offsetA=0, rowsB=true, leadB=256, stepB=0, offsetB=0], a=In[index=0], b=In[index=1], c=Out[index=0], bias=Optional.empty, workspace=0]
