"""Exports small networks from PyTorch to ONNX, with the values that PyTorch gives for them.

    python3 export.py OUT        (PyTorch 1.13 or later; no other package)

For each network: OUT/NAME.onnx as `torch.onnx.export` writes it, and OUT/NAME.safetensors with the
inputs (input.0 ...), the targets, the output, the loss, the gradient of the loss by each parameter
(grad.NAME) with the sum of its elements (sum.NAME, by which a weight is found that the exporter
transposed and renamed), and the loss after one step of plain descent (after). Values are computed
in f64 from the weights in f32.
"""
import json
import math
import struct
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F


RATE = 0.02


class Unit(nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, inside, outside, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outside)
        self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outside)
        self.around = nn.Identity()
        if stride != 1 or inside != outside:
            self.around = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.around(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 6, 7, 2, 3, bias=False), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layers = nn.Sequential(Unit(6, 6, 1), Unit(6, 8, 2), Unit(8, 8, 1))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        return self.head(torch.flatten(self.pool(self.layers(self.stem(x))), 1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.shape[-1]) + mask
        y = torch.matmul(F.softmax(scores, dim=-1), v).permute(0, 2, 1, 3).contiguous()
        return self.out(y.view(x.shape[0], x.shape[1], -1))


class Bert(nn.Module):
    """An encoder with norms after its sums, a mask of padding, and a head with tied weights."""

    def __init__(self, vocabulary=17, width=12, heads=3, layers=2, length=16):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.attention = nn.ModuleList(Attention(width, heads) for _ in range(layers))
        self.norms1 = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.norms2 = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(layers))
        self.down = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))
        self.drop = nn.Dropout(0.1)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, ids, seen):
        mask = (1.0 - seen[:, None, None, :].to(self.bias.dtype)) * -1e4
        place = torch.arange(ids.shape[1])[None, :]
        x = self.drop(self.norm(self.words(ids) + self.places(place) + self.kinds(torch.zeros_like(ids))))
        for attention, norm1, norm2, up, down in zip(self.attention, self.norms1, self.norms2, self.up, self.down):
            x = norm1(x + self.drop(attention(x, mask)))
            x = norm2(x + self.drop(down(F.gelu(up(x)))))
        return torch.matmul(x, self.words.weight.t()) + self.bias


class Gpt(nn.Module):
    """A decoder with norms before its sums, one projection for queries, keys and values."""

    def __init__(self, vocabulary=17, width=12, heads=2, layers=2, length=16):
        super().__init__()
        self.heads = heads
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            'ln1': nn.LayerNorm(width), 'qkv': nn.Linear(width, 3 * width), 'out': nn.Linear(width, width),
            'ln2': nn.LayerNorm(width), 'up': nn.Linear(width, 4 * width), 'down': nn.Linear(4 * width, width)})
            for _ in range(layers))
        self.last = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.register_buffer('seen', torch.tril(torch.ones(length, length, dtype=torch.bool))[None, None])

    def attend(self, block, x):
        b, t, w = x.shape
        q, k, v = (part.view(b, t, self.heads, w // self.heads).transpose(1, 2) for part in block['qkv'](x).split(w, dim=2))
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        scores = scores.masked_fill(~self.seen[:, :, :t, :t], torch.finfo(torch.float32).min)
        return block['out']((F.softmax(scores, dim=-1) @ v).transpose(1, 2).contiguous().view(b, t, w))

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = x + self.attend(block, block['ln1'](x))
            h = block['up'](block['ln2'](x))
            h = 0.5 * h * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0))))
            x = x + block['down'](h)
        return self.head(self.last(x))


class VisionTransformer(nn.Module):
    """Patches by a convolution, PyTorch's own attention, the first token classified."""

    def __init__(self, width=12, heads=2, layers=2, patch=4, size=16):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.places = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, width))
        self.attention = nn.ModuleList(nn.MultiheadAttention(width, heads, batch_first=True) for _ in range(layers))
        self.norms1 = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.norms2 = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers))
        self.up = nn.ModuleList(nn.Linear(width, 2 * width) for _ in range(layers))
        self.down = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        self.head = nn.Linear(width, 5)

    def forward(self, pixels):
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], dim=1) + self.places
        for attention, norm1, norm2, up, down in zip(self.attention, self.norms1, self.norms2, self.up, self.down):
            y = norm1(x)
            x = x + attention(y, y, y, need_weights=False)[0]
            x = x + down(F.gelu(up(norm2(x))))
        return self.head(self.last(x)[:, 0])


KINDS = {torch.float32: 'F32', torch.float64: 'F64', torch.int64: 'I64'}


def save(file, tensors):
    header, data = {}, b''
    for name, x in tensors.items():
        raw = x.detach().contiguous().numpy().tobytes()
        header[name] = {'dtype': KINDS[x.dtype], 'shape': list(x.shape), 'data_offsets': [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 8)
    with open(file, 'wb') as out:
        out.write(struct.pack('<Q', len(text)) + text + data)


def fill(model):
    """Weights of a size that keeps activations near one; running statistics that matter."""
    with torch.no_grad():
        for p in model.parameters():
            p.normal_(0, 1 / math.sqrt(p[0].numel()) if p.dim() > 1 else 0.3)
        for module in model.modules():
            if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm)):
                module.weight.add_(1)
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.2)
                module.running_var.uniform_(0.5, 1.5)


def loss_of(model, inputs, targets):
    scores = model(*inputs)
    return scores, F.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets.reshape(-1))


def export(out, name, model, inputs, targets, opset, axes, fold=True):
    fill(model)
    model.eval()
    names = [f'input.{i}' for i in range(len(inputs))]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        torch.onnx.export(model, tuple(inputs), f'{out}/{name}.onnx', opset_version=opset, input_names=names,
                          output_names=['scores'], training=torch.onnx.TrainingMode.PRESERVE,
                          dynamic_axes={n: axes for n in names}, do_constant_folding=fold)
    model.double()
    wide = [x.double() if x.is_floating_point() else x for x in inputs]
    scores, loss = loss_of(model, wide, targets)
    loss.backward()
    tensors = {**dict(zip(names, inputs)), 'targets': targets, 'scores': scores, 'loss': loss.reshape(1)}
    for n, p in model.named_parameters():
        tensors['sum.' + n] = p.detach().sum().reshape(1)
        tensors['grad.' + n] = p.grad.float()
    with torch.no_grad():
        for p in model.parameters():
            p -= RATE * p.grad
        tensors['after'] = loss_of(model, wide, targets)[1].reshape(1)
    save(f'{out}/{name}.safetensors', tensors)
    print(name, 'loss', loss.item(), 'after', tensors['after'].item())


def main(out):
    torch.manual_seed(5)
    ids = torch.randint(0, 17, (2, 7))
    seen = torch.tensor([[1] * 7, [1] * 5 + [0] * 2])
    pixels = torch.randn(2, 3, 16, 16)
    text = {0: 'batch', 1: 'time'}
    export(out, 'resnet', ResNet(), [torch.randn(2, 3, 18, 18)], torch.randint(0, 5, (2,)), 13, {0: 'batch'})
    export(out, 'bert', Bert(), [ids, seen], torch.randint(0, 17, (2, 7)), 14, text, fold=False)  # folding would untie the head
    export(out, 'gpt', Gpt(), [ids], torch.randint(0, 17, (2, 7)), 17, text)
    export(out, 'vit', VisionTransformer(), [pixels], torch.randint(0, 5, (2,)), 16, {0: 'batch'})


if __name__ == '__main__':
    main(sys.argv[1])
