"""What `./ebb bench cuda` sets beside Ebb: the same models and kernels with PyTorch on the first card.

Prints a line for each: a name, milliseconds (median) and GiB allocated at the peak, with tabs between them.
Arguments: the parts to time (gpt kernels llama resnet unet; others are passed over), all if there are none.
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

# sizes of the GPT
LAYERS, WIDTH, HEADS, CONTEXT, BATCH, VOCABULARY = 12, 1024, 16, 1024, 16, 32768
# the budgets that Ebb runs in are the peaks that torch.compile reached with these
GPT_BUDGETS = {"float32": {1.0: "full", 0.5: "in 11.40 GiB", 0.2: "in 9.03 GiB"},
               "bfloat16": {1.0: "full", 0.5: "in 7.95 GiB", 0.2: "in 6.91 GiB"}}
BUDGETS = {"float32": {1.0: "full"}, "bfloat16": {1.0: "full", 0.5: "activation_memory_budget 0.5"}}
TITLES = {"gpt": "GPT", "llama": "Llama", "resnet": "ResNet-50", "unet": "U-Net"}


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


class LlamaBlock(nn.Module):
    """Width 4096, 32 heads, 11008 inside: a layer of Llama with 7 billion parameters."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(4096, 1e-5), nn.RMSNorm(4096, 1e-5)
        self.query, self.key, self.value, self.out = (
            nn.Linear(4096, 4096, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(4096, 11008, bias=False) for _ in range(2))
        self.down = nn.Linear(11008, 4096, bias=False)

    def forward(self, x, cos, sin):
        def heads(t):
            return t.view(t.shape[0], t.shape[1], 32, 128).transpose(1, 2)

        def turned(t):
            a, b = t.chunk(2, -1)
            return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(t.dtype)

        y = self.norm1(x)
        y = F.scaled_dot_product_attention(
            turned(heads(self.query(y))), turned(heads(self.key(y))), heads(self.value(y)), is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(x.shape))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, layers=4, context=4096, vocabulary=32000):
        super().__init__()
        self.tokens, self.norm = nn.Embedding(vocabulary, 4096), nn.RMSNorm(4096, 1e-5)
        self.blocks = nn.ModuleList(LlamaBlock() for _ in range(layers))
        self.head = nn.Linear(4096, vocabulary, bias=False)
        angles = torch.outer(torch.arange(context), 1e4 ** (-torch.arange(64) / 64))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids, targets):
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())


def unit(inputs, outputs, size, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs))


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride, first):
        super().__init__()
        self.one, self.two = unit(inputs, width, 1), unit(width, width, 3, stride)
        self.three = unit(width, 4 * width, 1)
        self.around = unit(inputs, 4 * width, 1, stride) if first else nn.Identity()

    def forward(self, x):
        return F.relu(self.three(F.relu(self.two(F.relu(self.one(x))))) + self.around(x))


class ResNet50(nn.Module):
    def __init__(self):
        super().__init__()
        blocks, channels = [], 64
        for stage, depth in enumerate((3, 4, 6, 3)):
            for b in range(depth):
                blocks.append(Bottleneck(channels, 64 << stage, 2 if stage and b == 0 else 1, b == 0))
                channels = 256 << stage
        self.stem, self.blocks = unit(3, 64, 7, 2), nn.Sequential(*blocks)
        self.head = nn.Linear(channels, 1000)

    def forward(self, x, labels):
        x = self.blocks(F.max_pool2d(F.relu(self.stem(x)), 3, 2, 1))
        return F.cross_entropy(self.head(x.mean((2, 3))), labels)


class TwoConvolutions(nn.Sequential):
    def __init__(self, inputs, outputs):
        super().__init__(
            nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(outputs // 8, outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1), nn.GroupNorm(outputs // 8, outputs), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, width=64, levels=4):
        super().__init__()
        sizes = [3] + [width << i for i in range(levels)]
        self.down = nn.ModuleList(TwoConvolutions(sizes[i], sizes[i + 1]) for i in range(levels))
        self.bottom = TwoConvolutions(sizes[-1], width << levels)
        self.up = nn.ModuleList(
            TwoConvolutions(3 * (width << i), width << i) for i in reversed(range(levels)))
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, x, masks):
        bridges = []
        for block in self.down:
            x = block(x)
            bridges.append(x)
            x = F.max_pool2d(x, 2)
        x = self.bottom(x)
        for block in self.up:
            x = block(torch.cat((F.interpolate(x, scale_factor=2), bridges.pop()), 1))
        return F.mse_loss(self.head(x).float(), masks)


def build(name):
    """A model, its optimizer and what it is given."""
    torch.manual_seed(1)
    if name in ("resnet", "unet"):
        # the order in memory that convolutions are fastest in
        model = (ResNet50() if name == "resnet" else UNet()).cuda().to(memory_format=torch.channels_last)
        shape = (256, 3, 224, 224) if name == "resnet" else (16, 3, 256, 256)
        x = torch.randn(shape, device="cuda").to(memory_format=torch.channels_last)
        if name == "resnet":
            return (model, torch.optim.SGD(model.parameters(), 0.01, 0.9, fused=True),
                    (x, torch.randint(0, 1000, (256,), device="cuda")))
        return (model, torch.optim.AdamW(model.parameters(), 1e-4, fused=True),
                (x, torch.randn(16, 1, 256, 256, device="cuda")))
    model, shape, vocabulary = ((Gpt(), (2, BATCH, CONTEXT), VOCABULARY) if name == "gpt"
                                else (Llama(), (2, 1, 4096), 32000))
    model = model.cuda()
    return (model, torch.optim.AdamW(model.parameters(), 3e-4, fused=True),
            tuple(torch.randint(0, vocabulary, shape, device="cuda")))


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


def budgets(name):
    return GPT_BUDGETS if name == "gpt" else BUDGETS


def train(name, kind, budget, once):
    import torch._functorch.config
    torch._functorch.config.activation_memory_budget = budget
    model, optimizer, given = build(name)
    compiled = torch.compile(model)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=kind == "bfloat16"):
            loss = compiled(*given)
        loss.backward()
        optimizer.step()

    if once:  # what was compiled is in PyTorch's cache for the process that is timed
        return step()
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    taken = median(step)
    tell(f"{TITLES[name]} in {'bf16' if kind == 'bfloat16' else 'f32'}, {budgets(name)[kind][budget]}",
         taken, torch.cuda.max_memory_allocated() / 2**30)


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


def command(case, *more):
    return [sys.executable, os.path.abspath(__file__), "train", *case, *more]


if __name__ == "__main__":
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    if sys.argv[1:2] == ["train"]:
        train(sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5:] == ["once"])
        sys.exit(0)
    parts = sys.argv[1:] or ["kernels", *TITLES]
    cases = [(name, kind, str(budget)) for name in TITLES if name in parts
             for kind, all_of_kind in budgets(name).items() for budget in all_of_kind]
    # compiling takes processors and little of the card: several at a time; each in a process of its own, so that
    # what one has compiled and allocated is gone for the next
    for i in range(0, len(cases), 4):
        started = [subprocess.Popen(command(case, "once")) for case in cases[i:i + 4]]
        for process in started:
            process.wait()
    if "kernels" in parts:
        kernels()
    for case in cases:
        subprocess.run(command(case), check=False)
