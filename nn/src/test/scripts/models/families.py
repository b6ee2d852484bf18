"""Reads the tiny checkpoints of make.py with PyTorch and writes what it computes of them.

    python3 families.py FOLDER        (FOLDER as given to make.py; PyTorch 1.13 or later)

Each family is written here once more from its published layout, in PyTorch's own functions, without
a line of make.py. For each checkpoint FOLDER/NAME.torch.json has:

    loss, slopes   in f64; a slope is the sum of a tensor's gradient times cos(0.7 (k + 1) i + k) over
                   its elements i in row-major order, for k = 0, 1, 2, 3: a gradient with an error
                   anywhere has other slopes
    f32, bf16      the largest distance of the scores, computed in that type, from those computed in
                   f64 with the weights rounded to that type

The scores in f64 must be those of NAME.json to 1e-12, or it ends with an error.
"""
import json
import math
import os
import struct
import sys

import torch
from torch.nn import functional as F

KINDS = {'F32': torch.float32, 'F16': torch.float16, 'BF16': torch.bfloat16}


def read(file):
    with open(file, 'rb') as f:
        (size,) = struct.unpack('<Q', f.read(8))
        header, data = json.loads(f.read(size)), f.read()
    out = {}
    for name, entry in header.items():
        if name != '__metadata__':
            first, last = entry['data_offsets']
            raw = torch.frombuffer(bytearray(data[first:last]), dtype=KINDS[entry['dtype']])
            out[name] = raw.reshape(entry['shape']).to(torch.float64)
    return out


def linear(p, name, x):
    return F.linear(x, p[name + '.weight'], p.get(name + '.bias'))


def layer_norm(p, name, x, eps):
    return F.layer_norm(x, x.shape[-1:], p[name + '.weight'], p[name + '.bias'], eps)


def rms(weight, x, eps):
    wide = x if x.dtype == torch.float64 else x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps)).to(x.dtype) * weight


def attend(q, k, v, heads, groups, mask, turn=None):
    def split(x, n):
        return x.unflatten(-1, (n, x.shape[-1] // n)).transpose(1, 2)

    q, k, v = split(q, heads), split(k, groups), split(v, groups)
    if turn is not None:
        q, k = turn(q, 'q_norm'), turn(k, 'k_norm')
    k, v = k.repeat_interleave(heads // groups, 1), v.repeat_interleave(heads // groups, 1)
    scores = torch.einsum('bhqd,bhkd->bhqk', q, k) * q.shape[-1] ** -0.5
    weights = torch.softmax(scores + mask, -1)
    return torch.einsum('bhqk,bhkd->bhqd', weights, v).transpose(1, 2).flatten(2)


def frequencies(config, width):
    inverse = 1.0 / config['rope_theta'] ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    scaling = config.get('rope_scaling')
    if not scaling:
        return inverse
    old, low, high = (scaling[k] for k in ('original_max_position_embeddings', 'low_freq_factor', 'high_freq_factor'))
    length = 2 * math.pi / inverse
    smooth = ((old / length - low) / (high - low)).clamp(0, 1)
    return smooth * inverse + (1 - smooth) * inverse / scaling['factor']


def decoder(p, config, ids):
    gemma = config['model_type'] == 'gemma'
    eps, heads, groups = config['rms_norm_eps'], config['num_attention_heads'], config['num_key_value_heads']
    activation = {'silu': F.silu, 'gelu_pytorch_tanh': lambda x: F.gelu(x, approximate='tanh')}[
        config.get('hidden_activation') or config['hidden_act']]
    x = F.embedding(ids, p['model.embed_tokens.weight'])
    kind, time = x.dtype, ids.shape[1]
    if gemma:
        x = x * torch.tensor(config['hidden_size'] ** 0.5, dtype=kind)
    place = torch.arange(time)
    ahead = place[:, None] - place[None, :]
    hidden = ahead < 0
    if config['model_type'] == 'mistral':
        hidden = hidden | (ahead >= config['sliding_window'])
    mask = torch.zeros(time, time, dtype=kind).masked_fill(hidden, -math.inf)
    angle = torch.outer(place.double(), frequencies(config, config['head_dim']))
    cos, sin = torch.cat([angle, angle], -1).cos().to(kind), torch.cat([angle, angle], -1).sin().to(kind)

    def norm(name, x):
        w = p[name + '.weight']
        return rms(w + 1 if gemma else w, x, eps)

    for n in range(config['num_hidden_layers']):
        layer = f'model.layers.{n}.'

        def turn(x, name):
            if layer + f'self_attn.{name}.weight' in p:
                x = norm(layer + 'self_attn.' + name, x)
            first, second = x.chunk(2, -1)
            return x * cos + torch.cat([-second, first], -1) * sin

        y = norm(layer + 'input_layernorm', x)
        q, k, v = (linear(p, layer + f'self_attn.{m}_proj', y) for m in 'qkv')
        x = x + linear(p, layer + 'self_attn.o_proj', attend(q, k, v, heads, groups, mask, turn))
        y = norm(layer + 'post_attention_layernorm', x)
        gate = activation(linear(p, layer + 'mlp.gate_proj', y))
        x = x + linear(p, layer + 'mlp.down_proj', gate * linear(p, layer + 'mlp.up_proj', y))
    head = 'model.embed_tokens.weight' if config['tie_word_embeddings'] else 'lm_head.weight'
    return F.linear(norm('model.norm', x), p[head])


def bert(p, config, ids):
    eps, heads = config['layer_norm_eps'], config['num_attention_heads']
    table = 'bert.embeddings.'
    x = F.embedding(ids, p[table + 'word_embeddings.weight']) + p[table + 'position_embeddings.weight'][:ids.shape[1]]
    x = layer_norm(p, table + 'LayerNorm', x + F.embedding(torch.zeros_like(ids), p[table + 'token_type_embeddings.weight']), eps)
    for n in range(config['num_hidden_layers']):
        layer = f'bert.encoder.layer.{n}.'
        q, k, v = (linear(p, layer + 'attention.self.' + m, x) for m in ('query', 'key', 'value'))
        y = linear(p, layer + 'attention.output.dense', attend(q, k, v, heads, heads, 0))
        x = layer_norm(p, layer + 'attention.output.LayerNorm', y + x, eps)
        y = linear(p, layer + 'output.dense', F.gelu(linear(p, layer + 'intermediate.dense', x)))
        x = layer_norm(p, layer + 'output.LayerNorm', y + x, eps)
    head = 'cls.predictions.'
    x = layer_norm(p, head + 'transform.LayerNorm', F.gelu(linear(p, head + 'transform.dense', x)), eps)
    return F.linear(x, p[table + 'word_embeddings.weight'], p[head + 'bias'])


def vit(p, config, pixels):
    eps, heads = config['layer_norm_eps'], config['num_attention_heads']
    table = 'vit.embeddings.'
    patches = F.conv2d(pixels, p[table + 'patch_embeddings.projection.weight'],
                       p[table + 'patch_embeddings.projection.bias'], stride=config['patch_size'])
    x = torch.cat([p[table + 'cls_token'].expand(pixels.shape[0], -1, -1), patches.flatten(2).mT], 1)
    x = x + p[table + 'position_embeddings']
    for n in range(config['num_hidden_layers']):
        layer = f'vit.encoder.layer.{n}.'
        y = layer_norm(p, layer + 'layernorm_before', x, eps)
        q, k, v = (linear(p, layer + 'attention.attention.' + m, y) for m in ('query', 'key', 'value'))
        x = x + linear(p, layer + 'attention.output.dense', attend(q, k, v, heads, heads, 0))
        y = layer_norm(p, layer + 'layernorm_after', x, eps)
        x = x + linear(p, layer + 'output.dense', F.gelu(linear(p, layer + 'intermediate.dense', y)))
    return linear(p, 'classifier', layer_norm(p, 'vit.layernorm', x, eps)[:, 0])


def resnet(p, config, pixels):
    def unit(x, conv, norm, stride):
        kernel = p[conv + '.weight']
        y = F.conv2d(x, kernel, stride=stride, padding=kernel.shape[-1] // 2)
        mean, variance, weight, bias = (p[f'{norm}.{k}'].reshape(-1, 1, 1) for k in ('running_mean', 'running_var', 'weight', 'bias'))
        return (y - mean) * torch.rsqrt(variance + 1e-5) * weight + bias

    x = F.max_pool2d(F.relu(unit(pixels, 'conv1', 'bn1', 2)), 3, 2, 1)
    for stage, depth in enumerate(config['depths'], 1):
        for block in range(depth):
            at = f'layer{stage}.{block}.'
            stride = 2 if stage > 1 and block == 0 else 1
            shortcut = unit(x, at + 'downsample.0', at + 'downsample.1', stride) if at + 'downsample.0.weight' in p else x
            if config['deep']:
                y = F.relu(unit(x, at + 'conv1', at + 'bn1', 1))
                y = unit(F.relu(unit(y, at + 'conv2', at + 'bn2', stride)), at + 'conv3', at + 'bn3', 1)
            else:
                y = unit(F.relu(unit(x, at + 'conv1', at + 'bn1', stride)), at + 'conv2', at + 'bn2', 1)
            x = F.relu(y + shortcut)
    return linear(p, 'fc', F.adaptive_avg_pool2d(x, 1).flatten(1))


FAMILIES = {'llama': decoder, 'qwen2': decoder, 'qwen3': decoder, 'mistral': decoder, 'gemma': decoder,
            'bert': bert, 'vit': vit, 'resnet': resnet}


def distance(forward, p, config, inputs, kind):
    """Of scores computed in a type from exact ones of the same weights."""
    narrow = {k: v.detach().to(kind) for k, v in p.items()}
    fed = inputs.to(kind) if inputs.is_floating_point() else inputs
    exact = forward({k: v.double() for k, v in narrow.items()}, config, fed.double() if fed.is_floating_point() else fed)
    return (forward(narrow, config, fed).double() - exact).abs().max().item()


def check(folder, name):
    reference = json.load(open(f'{folder}/{name}.json'))
    config, given = reference['config'], reference['inputs']
    p = {k: v.requires_grad_() for k, v in read(f'{folder}/{name}.safetensors').items()}
    inputs = torch.tensor(given) if isinstance(given, list) else torch.tensor(given['data'], dtype=torch.float64).reshape(given['shape'])
    forward = FAMILIES[config['model_type']]
    scores = forward(p, config, inputs)
    loss = F.cross_entropy(scores.reshape(-1, scores.shape[-1]), torch.tensor(reference['targets']).reshape(-1))
    loss.backward()
    slopes = {}
    for k, v in p.items():
        i = torch.arange(v.numel(), dtype=torch.float64)
        grad = torch.zeros_like(v) if v.grad is None else v.grad
        slopes[k] = [(grad.flatten() * torch.cos(0.7 * (n + 1) * i + n)).sum().item() for n in range(4)]
    apart = (scores.flatten() - torch.tensor(reference['scores'], dtype=torch.float64)).abs().max().item()
    assert apart < 1e-12, (name, apart)
    own = {'loss': loss.item(), 'slopes': slopes,
           'f32': distance(forward, p, config, inputs, torch.float32),
           'bf16': distance(forward, p, config, inputs, torch.bfloat16)}
    json.dump(own, open(f'{folder}/{name}.torch.json', 'w'))
    print(name, own['loss'], 'scores of numpy differ by', apart, 'f32', own['f32'], 'bf16', own['bf16'])


if __name__ == '__main__':
    for file in sorted(os.listdir(sys.argv[1])):
        if file.endswith('.safetensors'):
            check(sys.argv[1], file[:-len('.safetensors')])
