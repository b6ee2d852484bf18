"""Makes tiny checkpoints in published layouts and their reference values, with numpy alone.

    python3 make.py OUT

For each family: OUT/NAME.safetensors and OUT/NAME.json with the config, the input, the loss, the
output, and for every tensor the derivative of the loss along a fixed direction. The derivatives are
exact to rounding: the loss is computed once for each tensor with an imaginary step of 1e-30 along
the direction (complex-step differentiation), in f64. `check.py` beside this compares the same files
with `transformers` where that is installed.
"""
import json
import math
import struct
import sys

import numpy as np

STEP = 1e-30


def erf(x):
    """Of complex numbers whose imaginary part is a tiny step."""
    real = np.vectorize(math.erf)(x.real)
    return real + 1j * x.imag * (2 / math.sqrt(math.pi)) * np.exp(-x.real**2)


def relu(x):
    return np.where(x.real > 0, x, 0)


ACTIVATIONS = {
    'silu': lambda x: x / (1 + np.exp(-x)),
    'gelu': lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
    'gelu_pytorch_tanh': lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    'relu': relu,
}


def softmax(x):
    e = np.exp(x - x.real.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def cross_entropy(scores, targets):
    """Mean over the targets that are not negative."""
    scores = scores.reshape(-1, scores.shape[-1])
    targets = np.array(targets).reshape(-1)
    most = scores.real.max(axis=-1, keepdims=True)
    logsum = np.log(np.exp(scores - most).sum(axis=-1)) + most[:, 0]
    rows = np.nonzero(targets >= 0)[0]
    return (logsum[rows] - scores[rows, targets[rows]]).mean()


def layer_norm(x, w, b, eps):
    mean = x.mean(axis=-1, keepdims=True)
    var = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(var + eps) * w + b


def rms_norm(x, w, eps):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * w


def heads(x, n):
    return x.reshape(x.shape[0], x.shape[1], n, -1).transpose(0, 2, 1, 3)


def attention(q, k, v, hidden):
    """q [batch, heads, time, width]; hidden [time, time] or [batch, 1, 1, time], true where a key is not seen."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = q @ k.transpose(0, 1, 3, 2) / math.sqrt(q.shape[-1])
    scores = np.where(hidden, -1e300, scores)
    y = softmax(scores) @ v
    return y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)


# ---- Llama and its kin -----------------------------------------------------------------------
def speeds(c, width):
    half = width // 2
    out = []
    scaling = c.get('rope_scaling') or {}
    for i in range(half):
        speed = c['rope_theta'] ** (-i / half)
        if scaling.get('rope_type') == 'llama3':
            low, high = scaling['low_freq_factor'], scaling['high_freq_factor']
            old = scaling['original_max_position_embeddings']
            wavelength = 2 * math.pi / speed
            if wavelength > old / low:
                speed /= scaling['factor']
            elif wavelength >= old / high:
                smooth = (old / wavelength - low) / (high - low)
                speed = (1 - smooth) * speed / scaling['factor'] + smooth * speed
        out.append(speed)
    return np.array(out)


def rotary(x, c):
    angle = np.arange(x.shape[2])[:, None] * speeds(c, x.shape[-1])[None, :]
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], axis=-1)


def llama(p, c, ids):
    one = 1 if c['model_type'] == 'gemma' else 0
    act = ACTIVATIONS[c.get('hidden_activation') or c['hidden_act']]
    eps = c['rms_norm_eps']
    x = p['model.embed_tokens.weight'][np.array(ids)]
    if one:
        x = x * math.sqrt(c['hidden_size'])
    time = x.shape[1]
    i, j = np.arange(time)[:, None], np.arange(time)[None, :]
    hidden = j > i
    if c.get('sliding_window'):
        hidden = hidden | (i - j >= c['sliding_window'])
    for n in range(c['num_hidden_layers']):
        at = f'model.layers.{n}.'

        def dense(name, y):
            out = y @ p[at + name + '.weight'].T
            return out + p[at + name + '.bias'] if at + name + '.bias' in p else out

        y = rms_norm(x, p[at + 'input_layernorm.weight'] + one, eps)
        q = heads(dense('self_attn.q_proj', y), c['num_attention_heads'])
        k = heads(dense('self_attn.k_proj', y), c['num_key_value_heads'])
        v = heads(dense('self_attn.v_proj', y), c['num_key_value_heads'])
        if at + 'self_attn.q_norm.weight' in p:
            q = rms_norm(q, p[at + 'self_attn.q_norm.weight'], eps)
            k = rms_norm(k, p[at + 'self_attn.k_norm.weight'], eps)
        x = x + dense('self_attn.o_proj', attention(rotary(q, c), rotary(k, c), v, hidden))
        y = rms_norm(x, p[at + 'post_attention_layernorm.weight'] + one, eps)
        x = x + dense('mlp.down_proj', act(dense('mlp.gate_proj', y)) * dense('mlp.up_proj', y))
    x = rms_norm(x, p['model.norm.weight'] + one, eps)
    head = p['model.embed_tokens.weight'] if c['tie_word_embeddings'] else p['lm_head.weight']
    return x @ head.T


def llama_tensors(c, bias=False, norms=False):
    w, inner = c['hidden_size'], c['intermediate_size']
    head = c['head_dim']
    rows = {'q': c['num_attention_heads'] * head, 'k': c['num_key_value_heads'] * head, 'v': c['num_key_value_heads'] * head}
    out = {'model.embed_tokens.weight': (c['vocab_size'], w)}
    for n in range(c['num_hidden_layers']):
        at = f'model.layers.{n}.'
        out[at + 'input_layernorm.weight'] = (w,)
        for name, r in rows.items():
            out[at + f'self_attn.{name}_proj.weight'] = (r, w)
            if bias:
                out[at + f'self_attn.{name}_proj.bias'] = (r,)
        if norms:
            out[at + 'self_attn.q_norm.weight'] = (head,)
            out[at + 'self_attn.k_norm.weight'] = (head,)
        out[at + 'self_attn.o_proj.weight'] = (w, rows['q'])
        out[at + 'post_attention_layernorm.weight'] = (w,)
        out[at + 'mlp.gate_proj.weight'] = (inner, w)
        out[at + 'mlp.up_proj.weight'] = (inner, w)
        out[at + 'mlp.down_proj.weight'] = (w, inner)
    out['model.norm.weight'] = (w,)
    if not c['tie_word_embeddings']:
        out['lm_head.weight'] = (c['vocab_size'], w)
    return out


def llama_config(kind, name, **more):
    c = {'model_type': kind, 'architectures': [name + 'ForCausalLM'], 'vocab_size': 19, 'hidden_size': 12,
         'intermediate_size': 10, 'num_hidden_layers': 2, 'num_attention_heads': 4, 'num_key_value_heads': 2,
         'head_dim': 6, 'max_position_embeddings': 32, 'rms_norm_eps': 1e-5, 'rope_theta': 100.0,
         'hidden_act': 'silu', 'tie_word_embeddings': False, 'torch_dtype': 'float32'}
    c.update(more)
    return c


# ---- BERT ------------------------------------------------------------------------------------
def bert(p, c, ids):
    eps, act = c['layer_norm_eps'], ACTIVATIONS[c['hidden_act']]
    ids = np.array(ids)

    def dense(name, y):
        return y @ p[name + '.weight'].T + p[name + '.bias']

    def norm(name, y):
        return layer_norm(y, p[name + '.weight'], p[name + '.bias'], eps)

    e = 'bert.embeddings.'
    x = p[e + 'word_embeddings.weight'][ids] + p[e + 'position_embeddings.weight'][:ids.shape[1]]
    x = norm(e + 'LayerNorm', x + p[e + 'token_type_embeddings.weight'][0])
    for n in range(c['num_hidden_layers']):
        at = f'bert.encoder.layer.{n}.'
        q, k, v = (heads(dense(at + f'attention.self.{m}', x), c['num_attention_heads']) for m in ('query', 'key', 'value'))
        y = attention(q, k, v, np.zeros((1, 1), bool))
        x = norm(at + 'attention.output.LayerNorm', x + dense(at + 'attention.output.dense', y))
        x = norm(at + 'output.LayerNorm', x + dense(at + 'output.dense', act(dense(at + 'intermediate.dense', x))))
    x = norm('cls.predictions.transform.LayerNorm', act(dense('cls.predictions.transform.dense', x)))
    return x @ p[e + 'word_embeddings.weight'].T + p['cls.predictions.bias']


def bert_tensors(c):
    w, inner = c['hidden_size'], c['intermediate_size']
    out = {}
    e = 'bert.embeddings.'
    out[e + 'word_embeddings.weight'] = (c['vocab_size'], w)
    out[e + 'position_embeddings.weight'] = (c['max_position_embeddings'], w)
    out[e + 'token_type_embeddings.weight'] = (c['type_vocab_size'], w)

    def norm(name):
        out[name + '.weight'] = (w,)
        out[name + '.bias'] = (w,)

    def dense(name, a, b):
        out[name + '.weight'] = (b, a)
        out[name + '.bias'] = (b,)

    norm(e + 'LayerNorm')
    for n in range(c['num_hidden_layers']):
        at = f'bert.encoder.layer.{n}.'
        for m in ('query', 'key', 'value'):
            dense(at + f'attention.self.{m}', w, w)
        dense(at + 'attention.output.dense', w, w)
        norm(at + 'attention.output.LayerNorm')
        dense(at + 'intermediate.dense', w, inner)
        dense(at + 'output.dense', inner, w)
        norm(at + 'output.LayerNorm')
    dense('cls.predictions.transform.dense', w, w)
    norm('cls.predictions.transform.LayerNorm')
    out['cls.predictions.bias'] = (c['vocab_size'],)
    return out


# ---- ViT -------------------------------------------------------------------------------------
def vit(p, c, pixels):
    eps, act = c['layer_norm_eps'], ACTIVATIONS[c['hidden_act']]
    size, patch = c['image_size'], c['patch_size']

    def dense(name, y):
        return y @ p[name + '.weight'].T + p[name + '.bias']

    def norm(name, y):
        return layer_norm(y, p[name + '.weight'], p[name + '.bias'], eps)

    e = 'vit.embeddings.'
    side = size // patch
    b = pixels.shape[0]
    cut = pixels.reshape(b, c['num_channels'], side, patch, side, patch).transpose(0, 2, 4, 1, 3, 5)
    kernel = p[e + 'patch_embeddings.projection.weight']
    x = cut.reshape(b, side * side, -1) @ kernel.reshape(kernel.shape[0], -1).T + p[e + 'patch_embeddings.projection.bias']
    first = np.broadcast_to(p[e + 'cls_token'], (b, 1, c['hidden_size']))
    x = np.concatenate([first, x], axis=1) + p[e + 'position_embeddings']
    for n in range(c['num_hidden_layers']):
        at = f'vit.encoder.layer.{n}.'
        y = norm(at + 'layernorm_before', x)
        q, k, v = (heads(dense(at + f'attention.attention.{m}', y), c['num_attention_heads']) for m in ('query', 'key', 'value'))
        x = x + dense(at + 'attention.output.dense', attention(q, k, v, np.zeros((1, 1), bool)))
        y = norm(at + 'layernorm_after', x)
        x = x + dense(at + 'output.dense', act(dense(at + 'intermediate.dense', y)))
    return dense('classifier', norm('vit.layernorm', x)[:, 0])


def vit_tensors(c):
    w, inner, patch = c['hidden_size'], c['intermediate_size'], c['patch_size']
    out = {}
    e = 'vit.embeddings.'
    out[e + 'cls_token'] = (1, 1, w)
    out[e + 'position_embeddings'] = (1, (c['image_size'] // patch) ** 2 + 1, w)
    out[e + 'patch_embeddings.projection.weight'] = (w, c['num_channels'], patch, patch)
    out[e + 'patch_embeddings.projection.bias'] = (w,)

    def norm(name):
        out[name + '.weight'] = (w,)
        out[name + '.bias'] = (w,)

    def dense(name, a, b):
        out[name + '.weight'] = (b, a)
        out[name + '.bias'] = (b,)

    for n in range(c['num_hidden_layers']):
        at = f'vit.encoder.layer.{n}.'
        for m in ('query', 'key', 'value'):
            dense(at + f'attention.attention.{m}', w, w)
        dense(at + 'attention.output.dense', w, w)
        norm(at + 'layernorm_before')
        norm(at + 'layernorm_after')
        dense(at + 'intermediate.dense', w, inner)
        dense(at + 'output.dense', inner, w)
    norm('vit.layernorm')
    dense('classifier', w, len(c['id2label']))
    return out


# ---- ResNet ----------------------------------------------------------------------------------
def conv(x, w, stride, pad):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    k = w.shape[-1]
    rows = (x.shape[2] - k) // stride + 1
    columns = (x.shape[3] - k) // stride + 1
    out = np.zeros((x.shape[0], w.shape[0], rows, columns), complex)
    for i in range(rows):
        for j in range(columns):
            window = x[:, :, i * stride:i * stride + k, j * stride:j * stride + k]
            out[:, :, i, j] = np.tensordot(window, w, axes=([1, 2, 3], [1, 2, 3]))
    return out


def max_pool(x):
    x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-1e300)
    rows, columns = (x.shape[2] - 3) // 2 + 1, (x.shape[3] - 3) // 2 + 1
    out = np.zeros(x.shape[:2] + (rows, columns), complex)
    for i in range(rows):
        for j in range(columns):
            window = x[:, :, 2 * i:2 * i + 3, 2 * j:2 * j + 3].reshape(x.shape[0], x.shape[1], 9)
            at = window.real.argmax(axis=-1)
            out[:, :, i, j] = np.take_along_axis(window, at[..., None], axis=-1)[..., 0]
    return out


def resnet(p, c, pixels):
    def unit(x, kernel, norm, stride):
        w = p[kernel + '.weight']
        x = conv(x, w, stride, w.shape[-1] // 2)
        column = (None, slice(None), None, None)
        x = (x - p[norm + '.running_mean'][column]) / np.sqrt(p[norm + '.running_var'][column] + 1e-5)
        return x * p[norm + '.weight'][column] + p[norm + '.bias'][column]

    x = max_pool(relu(unit(pixels, 'conv1', 'bn1', 2)))
    for s, depth in enumerate(c['depths']):
        for b in range(depth):
            at = f'layer{s + 1}.{b}.'
            stride = 2 if s > 0 and b == 0 else 1
            around = x
            if at + 'downsample.0.weight' in p:
                around = unit(x, at + 'downsample.0', at + 'downsample.1', stride)
            strides = [1, stride, 1] if c['deep'] else [stride, 1]
            y = x
            for u, own in enumerate(strides):
                y = unit(y, at + f'conv{u + 1}', at + f'bn{u + 1}', own)
                if u + 1 < len(strides):
                    y = relu(y)
            x = relu(around + y)
    return x.mean(axis=(2, 3)) @ p['fc.weight'].T + p['fc.bias']


def resnet_tensors(c):
    out = {}

    def unit(kernel, norm, a, b, size):
        out[kernel + '.weight'] = (b, a, size, size)
        for name in ('weight', 'bias', 'running_mean', 'running_var'):
            out[f'{norm}.{name}'] = (b,)

    unit('conv1', 'bn1', 3, c['stem'], 7)
    channels = c['stem']
    for s, (depth, width) in enumerate(zip(c['depths'], c['widths'])):
        for b in range(depth):
            at = f'layer{s + 1}.{b}.'
            wide = width * 4 if c['deep'] else width
            sizes = [(channels, width, 1), (width, width, 3), (width, wide, 1)] if c['deep'] else [(channels, width, 3), (width, width, 3)]
            for u, (i, o, k) in enumerate(sizes):
                unit(at + f'conv{u + 1}', at + f'bn{u + 1}', i, o, k)
            if channels != wide or (s > 0 and b == 0):
                unit(at + 'downsample.0', at + 'downsample.1', channels, wide, 1)
            channels = wide
    out['fc.weight'] = (5, channels)
    out['fc.bias'] = (5,)
    return out


# ---- writing ---------------------------------------------------------------------------------
DTYPES = {'F32': np.float32, 'F16': np.float16}


def safetensors(path, tensors, dtype):
    header, data, at = {}, b'', 0
    for name, x in tensors.items():
        if dtype == 'BF16':
            raw = (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
        else:
            raw = np.ascontiguousarray(x, DTYPES[dtype]).tobytes()
        header[name] = {'dtype': dtype, 'shape': list(x.shape), 'data_offsets': [at, at + len(raw)]}
        data += raw
        at += len(raw)
    text = json.dumps(header).encode()
    text += b' ' * (-len(text) % 8)
    with open(path, 'wb') as f:
        f.write(struct.pack('<Q', len(text)) + text + data)


def rounded(x, dtype):
    if dtype == 'BF16':
        return ((x.astype(np.float32).view(np.uint32) & 0xffff0000).view(np.float32)).astype(np.float64)
    return x.astype(DTYPES[dtype]).astype(np.float64)


def direction(shape):
    n = int(np.prod(shape))
    return (((np.arange(n) * 7919) % 101 - 50) / 50).reshape(shape)


def make(out, name, config, shapes, forward, inputs, targets, dtype='F32'):
    random = np.random.default_rng(sum(name.encode()))
    p = {}
    for tensor, shape in shapes.items():
        x = random.standard_normal(shape) * 0.4
        if len(shape) == 1 and tensor.endswith('weight') and config['model_type'] != 'gemma':
            x = 1 + 0.3 * x
        if tensor.endswith('running_var'):
            x = 1 + np.abs(x)
        p[tensor] = rounded(x, dtype)
    scores = forward(p, config, inputs)
    loss = cross_entropy(scores, targets)
    slopes = {}
    for tensor in p:
        stepped = dict(p)
        stepped[tensor] = p[tensor] + 1j * STEP * direction(p[tensor].shape)
        slopes[tensor] = float(cross_entropy(forward(stepped, config, inputs), targets).imag / STEP)
    safetensors(f'{out}/{name}.safetensors', p, dtype)
    reference = {'config': config, 'inputs': inputs if isinstance(inputs, list) else
                 {'shape': list(inputs.shape), 'data': inputs.reshape(-1).tolist()}, 'targets': targets,
                 'loss': float(loss.real), 'scores': scores.real.reshape(-1).tolist(), 'slopes': slopes}
    with open(f'{out}/{name}.json', 'w') as f:
        json.dump(reference, f)
    print(name, float(loss.real))


def main(out):
    ids = [[3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9, 7, 18, 0]]
    targets = [[1, 4, 1, 5, 9, 2, 6, 5], [3, 5, 8, 9, 7, 18, 0, 2]]
    scaling = {'rope_type': 'llama3', 'factor': 4.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0,
               'original_max_position_embeddings': 16}
    c = llama_config('llama', 'Llama', rope_scaling=scaling)
    make(out, 'llama3', c, llama_tensors(c), llama, ids, targets)
    c = llama_config('qwen2', 'Qwen2', tie_word_embeddings=True, use_sliding_window=False, sliding_window=32, max_window_layers=2)
    make(out, 'qwen2', {**c}, llama_tensors(c, bias=True), lambda p, c, i: llama(p, {**c, 'sliding_window': None}, i), ids, targets, 'BF16')
    c = llama_config('qwen3', 'Qwen3', attention_bias=False)
    make(out, 'qwen3', c, llama_tensors(c, norms=True), llama, ids, targets)
    c = llama_config('mistral', 'Mistral', sliding_window=3)
    make(out, 'mistral', c, llama_tensors(c), llama, ids, targets, 'F16')
    c = llama_config('gemma', 'Gemma', hidden_act='gelu', hidden_activation='gelu_pytorch_tanh', tie_word_embeddings=True,
                     num_key_value_heads=1)
    make(out, 'gemma', c, llama_tensors(c), llama, ids, targets)
    c = {'model_type': 'bert', 'architectures': ['BertForMaskedLM'], 'vocab_size': 19, 'hidden_size': 12,
         'intermediate_size': 20, 'num_hidden_layers': 2, 'num_attention_heads': 3, 'max_position_embeddings': 16,
         'type_vocab_size': 2, 'layer_norm_eps': 1e-12, 'hidden_act': 'gelu', 'position_embedding_type': 'absolute',
         'hidden_dropout_prob': 0.1, 'attention_probs_dropout_prob': 0.1, 'pad_token_id': 0}
    make(out, 'bert', c, bert_tensors(c), bert, ids, targets)
    c = {'model_type': 'vit', 'architectures': ['ViTForImageClassification'], 'hidden_size': 12, 'intermediate_size': 20,
         'num_hidden_layers': 2, 'num_attention_heads': 3, 'image_size': 8, 'patch_size': 4, 'num_channels': 3,
         'layer_norm_eps': 1e-12, 'hidden_act': 'gelu', 'qkv_bias': True, 'id2label': {str(i): f'c{i}' for i in range(5)}}
    pixels = np.round(np.random.default_rng(1).standard_normal((2, 3, 8, 8)), 3)
    make(out, 'vit', c, vit_tensors(c), vit, pixels, [3, 1])
    pixels = np.round(np.random.default_rng(2).standard_normal((2, 3, 16, 16)), 3)
    for name, deep in (('resnet-basic', False), ('resnet-deep', True)):
        c = {'model_type': 'resnet', 'stem': 4, 'widths': [4, 6] if not deep else [2, 3], 'depths': [2, 1], 'deep': deep}
        make(out, name, c, resnet_tensors(c), resnet, pixels, [3, 1])


if __name__ == '__main__':
    main(sys.argv[1])
