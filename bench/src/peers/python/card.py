"""What `./ebb bench cuda` sets beside Ebb: the same GPT and kernels with PyTorch on the first card.

Prints a line for each: a name, milliseconds (median) and GiB allocated at the peak, with tabs between them.
"""
import os
import subprocess
import sys

try:
    import torch
except ImportError:
    print("there is no torch in this python3")
    sys.exit(0)
import torch.nn as nn
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, CONTEXT, BATCH, VOCABULARY = 12, 1024, 16, 1024, 16, 32768
# the budgets that Ebb runs in are the peaks that torch.compile reached with these
BUDGETS = {"float32": {1.0: "full", 0.5: "in 11.40 GiB", 0.2: "in 9.03 GiB"},
           "bfloat16": {1.0: "full", 0.5: "in 7.95 GiB", 0.2: "in 6.91 GiB"}}


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.inward, self.outward = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        heads = [t.view(BATCH, CONTEXT, HEADS, -1).transpose(1, 2)
                 for t in self.inward(self.norm1(x)).split(WIDTH, 2)]
        y = F.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.outward(y.transpose(1, 2).reshape(BATCH, CONTEXT, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(LAYERS)), nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).view(-1, VOCABULARY), targets.view(-1))


def median(work, times=10, warm=3):
    """Milliseconds of one run, between events."""
    for _ in range(warm):
        work()
    taken = []
    for _ in range(times):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        taken.append(begin.elapsed_time(end))
    return sorted(taken)[times // 2]


def tell(name, milliseconds, peak=0.0):
    print(f"{name}\t{milliseconds:.4f}\t{peak:.3f}", flush=True)


def gpt(kind, budget):
    import torch._functorch.config
    torch._functorch.config.activation_memory_budget = budget
    torch.manual_seed(1)
    model = Gpt().cuda()
    ids, targets = torch.randint(0, VOCABULARY, (2, BATCH, CONTEXT), device="cuda")
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4, fused=True)
    compiled = torch.compile(model)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=kind == "bfloat16"):
            loss = compiled(ids, targets)
        loss.backward()
        optimizer.step()

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    taken = median(step)
    name = "bf16" if kind == "bfloat16" else "f32"
    tell(f"GPT in {name}, {BUDGETS[kind][budget]}", taken, torch.cuda.max_memory_allocated() / 2**30)


def attention(batch, heads, length, width):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    for dtype, name, backend in ((torch.bfloat16, "bf16 F32", SDPBackend.CUDNN_ATTENTION),
                                 (torch.float32, "f32 TF32", SDPBackend.EFFICIENT_ATTENTION)):
        q, k, v, g = (torch.randn(batch, heads, length, width, device="cuda", dtype=dtype)
                      for _ in range(4))
        shape = f"{batch}x{heads}x{length}x{width}"
        with sdpa_kernel(backend):
            try:
                tell(f"attend {name} {shape}",
                     median(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)))
                for t in (q, k, v):
                    t.requires_grad_()
                y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                tell(f"attend gradient {name} {shape}",
                     median(lambda: torch.autograd.grad(y, (q, k, v), g, retain_graph=True)))
            except RuntimeError as e:
                print(f"attend {name} {shape}: {str(e).splitlines()[0]}", flush=True)


def kernels():
    size = 1 << 26
    for dtype, name in ((torch.float32, "f32"), (torch.bfloat16, "bf16")):
        x, y, z = (torch.randn(size, device="cuda", dtype=dtype) for _ in range(3))
        to = torch.empty_like(x)
        tell(f"map copy {name}[{size}]", median(lambda: to.copy_(x)))
        chain = torch.compile(lambda a, b, c: F.gelu(a + b, approximate="tanh") * c)
        tell(f"map gelu(x + y) * z {name}[{size}]", median(lambda: chain(x, y, z)))
        rows = torch.randn(16384, 1024, device="cuda", dtype=dtype)
        weight = torch.randn(1024, device="cuda", dtype=dtype)
        tell(f"layer norm rows {name}[16384,1024]", median(lambda: F.layer_norm(rows, (1024,), weight)))
    parameter = torch.randn(size, device="cuda", requires_grad=True)
    parameter.grad = torch.randn(size, device="cuda")
    optimizer = torch.optim.AdamW([parameter], fused=True)
    tell("AdamW, 4 in 3 out", median(optimizer.step))
    del parameter, optimizer
    for shape in ((16, 16, 1024, 64), (2, 16, 8192, 64), (8, 16, 2048, 128)):
        attention(*shape)


if __name__ == "__main__":
    torch.set_float32_matmul_precision("high")
    if len(sys.argv) == 3:
        gpt(sys.argv[1], float(sys.argv[2]))
    else:
        kernels()
        for kind, budgets in BUDGETS.items():
            for budget in budgets:
                # each in a process of its own: what one has compiled and allocated is gone for the next
                subprocess.run([sys.executable, os.path.abspath(__file__), kind, str(budget)], check=False)
