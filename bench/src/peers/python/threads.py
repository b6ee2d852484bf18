"""The GPT of the class Workload with PyTorch on a given number of threads: python3 threads.py 4

Prints the median of the seconds that a step takes; without an argument, the version of PyTorch.
"""
import sys
import time

try:
    import torch
except ImportError:
    print("PyTorch: there is no torch in this python3")
    sys.exit(3)
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY, CONTEXT, WIDTH, LAYERS, HEADS, BATCH = 256, 256, 256, 4, 4, 8


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

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        scores = self.norm(x) @ self.tokens.weight.T
        return F.cross_entropy(scores.view(-1, VOCABULARY), targets.view(-1))


if len(sys.argv) < 2:
    print("PyTorch " + torch.__version__)
    sys.exit(0)
torch.set_num_threads(int(sys.argv[1]))
torch.manual_seed(1)
ids, targets = torch.randint(0, VOCABULARY, (2, BATCH, CONTEXT))
model = Gpt()
optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
seconds = []
for step in range(18):
    begun = time.perf_counter()
    optimizer.zero_grad()
    model(ids, targets).backward()
    optimizer.step()
    seconds.append(time.perf_counter() - begun)
print(f"{sorted(seconds[6:])[6]:.4f}")
