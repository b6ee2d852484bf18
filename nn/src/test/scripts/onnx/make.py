"""Makes ONNX models, op by op and three networks, without the onnx package.

    python3 make.py cases.json && node run.mjs cases.json OUT/cases.json.gz

`run.mjs` adds what ONNX Runtime computes of them.
"""
import base64
import json
import math
import struct
import sys

import numpy as np

random = np.random.default_rng(3)


# ---- protobuf --------------------------------------------------------------------------------
def varint(n):
    n &= (1 << 64) - 1
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack('<f', value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


KINDS = {'float32': 1, 'uint8': 2, 'int32': 6, 'int64': 7, 'bool': 9, 'float64': 11}


def tensor(name, x, raw=True):
    x = np.asarray(x)
    out = b''.join(field(1, int(d)) for d in x.shape) + field(2, KINDS[str(x.dtype)]) + field(8, name)
    if raw:
        return out + field(9, x.tobytes())
    if x.dtype == np.float32:
        return out + field(4, x.tobytes())
    return out + field(7, b''.join(varint(int(v)) for v in x.reshape(-1)))


def attribute(name, value):
    out = field(1, name)
    if isinstance(value, np.ndarray):
        return out + field(5, tensor('', value)) + field(20, 4)
    if isinstance(value, float):
        return out + field(2, value) + field(20, 1)
    if isinstance(value, int):
        return out + field(3, value) + field(20, 2)
    if isinstance(value, str):
        return out + field(4, value) + field(20, 3)
    return out + b''.join(field(8, v) for v in value) + field(20, 7)


def node(op, ins, outs, **attributes):
    ins = ins.split() if isinstance(ins, str) else ins
    outs = outs.split() if isinstance(outs, str) else outs
    return b''.join(field(1, i) for i in ins) + b''.join(field(2, o) for o in outs) + field(3, op + '_' + outs[0]) \
        + field(4, op) + b''.join(field(5, attribute(k, v)) for k, v in attributes.items())


def info(name, kind, rank):
    shape = b''.join(field(1, field(2, f'{name}{i}')) for i in range(rank))
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def model(nodes, inputs, outputs, initialisers, opset, raw=True):
    graph = b''.join(field(1, n) for n in nodes) + field(2, 'g')
    graph += b''.join(field(5, tensor(k, v, raw)) for k, v in initialisers.items())
    graph += b''.join(field(11, info(k, KINDS[str(v.dtype)], v.ndim)) for k, v in inputs.items())
    graph += b''.join(field(12, info(k, kind, rank)) for k, (kind, rank) in outputs.items())
    return field(1, 8) + field(8, field(1, '') + field(2, opset)) + field(7, graph)


cases = {}


def case(name, nodes, inputs, outputs, initialisers=None, opset=17, raw=True):
    assert name not in cases, name
    data = model(nodes, inputs, outputs, initialisers or {}, opset, raw)
    cases[name] = {
        'onnx': base64.b64encode(data).decode(),
        'inputs': {k: {'type': str(v.dtype), 'dims': list(v.shape), 'data': v.reshape(-1).tolist()} for k, v in inputs.items()}}


def f(*dims):
    return random.standard_normal(dims).astype(np.float32)


I = lambda *x: np.array(x, np.int64)


def single(op, *operands, rank=None, kind=1, name=None, known=(), opset=17, raw=True, outs='y', **attributes):
    """One op; the operands whose place is in `known` are initialisers."""
    names = [f'x{i}' for i in range(len(operands))]
    given = {n: x for i, (n, x) in enumerate(zip(names, operands)) if x is not None and i not in known}
    fixed = {n: x for i, (n, x) in enumerate(zip(names, operands)) if i in known}
    ins = ['' if x is None else n for n, x in zip(names, operands)]
    if rank is None:
        rank = max(x.ndim for x in operands if x is not None)
    outputs = {o: (kind, rank) for o in outs.split()}
    case(name or op, [node(op, ins, outs, **attributes)], given, outputs, fixed, opset, raw)


# ---- op by op --------------------------------------------------------------------------------
x = f(2, 3, 4)
for op in ('Abs', 'Neg', 'Exp', 'Sin', 'Cos', 'Erf', 'Tanh', 'Sigmoid', 'Relu', 'Softplus', 'Floor', 'Ceil', 'Identity'):
    single(op, x)
for op in ('Sqrt', 'Log', 'Reciprocal'):
    single(op, np.abs(x) + 0.5)
single('LeakyRelu', x, alpha=0.2)
single('Gelu', x, opset=20)
single('Gelu', x, opset=20, approximate='tanh', name='Gelu tanh')
for op in ('Add', 'Sub', 'Mul', 'Div', 'Min', 'Max'):
    single(op, x, f(3, 1), name=op + ' broadcast')
    single(op, x, f(2, 3, 4), name=op)
single('Add', I(1, 2, 3), I(4), kind=7, name='Add whole')
single('Pow', np.abs(x), np.float32(2.0).reshape(()), known=(1,))
single('Pow', np.abs(x) + 0.1, f(4), name='Pow broadcast')
for op in ('Equal', 'Greater', 'GreaterOrEqual', 'Less', 'LessOrEqual'):
    single(op, np.round(x), np.round(f(3, 4)), kind=9)
truth = x > 0
single('Not', truth, kind=9)
single('And', truth, f(4) > 0, kind=9)
single('Or', truth, f(4) > 0, kind=9)
single('Where', truth, x, f(4))
single('Clip', x, np.float32(-0.5).reshape(()), np.float32(0.7).reshape(()), known=(1, 2))
single('Clip', x, None, np.float32(0.1).reshape(()), known=(2,), name='Clip above')
single('Max', x, f(4), f(3, 1), name='Max of three')
single('Cast', x * 3, to=7, kind=7)
single('Cast', I(1, 0, 5), to=1, name='Cast whole')
single('Cast', x, to=9, kind=9, name='Cast truth')
single('Dropout', x)
for axis in (-1, 1, 0):
    single('Softmax', x, axis=axis, name=f'Softmax {axis}')
    single('LogSoftmax', x, axis=axis, name=f'LogSoftmax {axis}')
for op in ('ReduceMean', 'ReduceMax', 'ReduceMin', 'ReduceProd'):
    single(op, x, axes=[1], keepdims=0, rank=2)
    single(op, x, axes=[-1], name=op + ' kept')
    single(op, x, name=op + ' all')
    single(op, x, I(0, 2), known=(1,), keepdims=0, rank=1, opset=18, name=op + ' 18')
single('ReduceSum', x, I(1), known=(1,), keepdims=0, rank=2)
single('ReduceSum', x, name='ReduceSum all')
single('ArgMax', x, axis=1, keepdims=0, kind=7, rank=2)
single('ArgMax', x, axis=-1, kind=7, name='ArgMax kept')
single('MatMul', f(3, 4), f(4, 5))
single('MatMul', f(2, 3, 4), f(4, 5), name='MatMul batch')
single('MatMul', f(2, 1, 3, 4), f(5, 4, 2), name='MatMul broadcast')
single('Gemm', f(3, 4), f(4, 5), f(5))
single('Gemm', f(4, 3), f(5, 4), f(3, 5), transA=1, transB=1, alpha=0.5, beta=2.0, name='Gemm turned')
single('Gemm', f(3, 4), f(4, 5), name='Gemm plain')
single('Conv', f(2, 3, 7, 6), f(4, 3, 3, 3), f(4), pads=[1, 1, 1, 1], strides=[2, 2])
single('Conv', f(2, 4, 7, 6), f(6, 2, 3, 2), group=2, name='Conv groups')
single('Conv', f(1, 2, 9, 9), f(3, 2, 3, 3), dilations=[2, 2], name='Conv dilated')
single('Conv', f(1, 2, 6, 6), f(3, 2, 3, 3), pads=[0, 1, 2, 1], name='Conv uneven pads')
single('Conv', f(2, 3, 10), f(4, 3, 3), pads=[1, 1], name='Conv 1d')
single('MaxPool', f(2, 3, 7, 6), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
single('MaxPool', f(2, 3, 6, 6), kernel_shape=[2, 2], name='MaxPool step 1')
single('AveragePool', f(2, 3, 6, 6), kernel_shape=[2, 2], strides=[2, 2])
single('AveragePool', f(2, 3, 6, 6), kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1, name='AveragePool padded')
single('GlobalAveragePool', f(2, 3, 5, 4))
single('BatchNormalization', f(2, 3, 4, 4), f(3), f(3), f(3), np.abs(f(3)) + 0.5, epsilon=1e-3)
single('LayerNormalization', x, f(4), f(4), axis=-1, epsilon=1e-4)
single('LayerNormalization', x, f(4), name='LayerNormalization plain')
single('Transpose', x)
single('Transpose', x, perm=[1, 2, 0], name='Transpose order')
single('Reshape', x, I(4, -1), known=(1,), rank=2)
single('Reshape', x, I(0, 2, -1), known=(1,), rank=3, name='Reshape zero')
single('Flatten', x, rank=2)
single('Flatten', x, axis=2, rank=2, name='Flatten 2')
single('Expand', f(3, 1), I(2, 3, 4), known=(1,), rank=3)
single('Squeeze', f(1, 3, 1), I(0), known=(1,), rank=2)
single('Squeeze', f(1, 3, 1), rank=1, name='Squeeze all')
single('Unsqueeze', f(3, 4), I(0, -1), known=(1,), rank=4)
single('Concat', x, f(2, 5, 4), axis=1)
single('Slice', x, I(1), I(3), I(1), known=(1, 2, 3))
single('Slice', x, I(0, -3), I(2**63 - 1, -1), I(1, 2), I(2, 1), known=(1, 2, 3, 4), name='Slice steps')
single('Slice', x, I(-1), I(-(2**63)), I(2), I(-1), known=(1, 2, 3, 4), name='Slice reversed')
single('Split', f(6, 2), axis=0, outs='a b')
single('Split', f(6, 2), I(1, 2, 3), known=(1,), axis=0, outs='a b c', name='Split sizes')
single('Gather', x, I(2, 0, -1), axis=1)
single('Gather', x, np.array([[0, 1], [1, 0]], np.int64), axis=0, rank=4, name='Gather square')
single('Gather', x, np.array(1, np.int64), known=(1,), axis=1, rank=2, name='Gather one')
single('Trilu', f(4, 5), upper=0)
single('Trilu', f(4, 5), np.array(1, np.int64), known=(1,), name='Trilu upper')
single('Shape', x, kind=7, rank=1)
single('Shape', x, kind=7, rank=1, start=1, end=-1, name='Shape part')
single('ConstantOfShape', I(2, 3), known=(0,), rank=2, value=np.array([1.5], np.float32))
case('Constant', [node('Constant', '', 'c', value=f(3)), node('Add', 'x0 c', 'y')], {'x0': f(2, 3)}, {'y': (1, 2)})
case('Range', [node('Range', 'a b c', 'r'), node('Cast', 'r', 'y', to=1), node('Mul', 'x0 y', 'z')], {'x0': f(4)},
     {'z': (1, 1)}, {'a': np.array(1, np.int64), 'b': np.array(9, np.int64), 'c': np.array(2, np.int64)})
case('Floats in fields', [node('Add', 'x0 w', 'y')], {'x0': f(3)}, {'y': (1, 1)}, {'w': f(3)}, raw=False)


# ---- networks, as exporters write them -------------------------------------------------------
def resnet():
    w, nodes = {}, []

    def conv(x, y, a, b, k, stride):
        w[y + '.w'], w[y + '.b'] = f(b, a, k, k) * 0.3, f(b)
        nodes.append(node('Conv', f'{x} {y}.w {y}.b', y, kernel_shape=[k, k], strides=[stride] * 2, pads=[k // 2] * 4, group=1, dilations=[1, 1]))

    conv('x', 'c0', 3, 4, 7, 2)
    nodes.append(node('Relu', 'c0', 'r0'))
    nodes.append(node('MaxPool', 'r0', 'p0', kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], ceil_mode=0))
    conv('p0', 'c1', 4, 6, 3, 2)
    nodes.append(node('Relu', 'c1', 'r1'))
    conv('r1', 'c2', 6, 6, 3, 1)
    conv('p0', 's', 4, 6, 1, 2)
    nodes.append(node('Add', 'c2 s', 'a'))
    nodes.append(node('Relu', 'a', 'r2'))
    nodes.append(node('GlobalAveragePool', 'r2', 'g'))
    nodes.append(node('Flatten', 'g', 'flat', axis=1))
    w['fc.w'], w['fc.b'] = f(5, 6), f(5)
    nodes.append(node('Gemm', 'flat fc.w fc.b', 'scores', alpha=1.0, beta=1.0, transB=1))
    case('network resnet', nodes, {'x': f(2, 3, 16, 16)}, {'scores': (1, 2)}, w, opset=13)


def transformer(name, causal, width=12, heads=3, layers=2, vocabulary=19, time=7):
    w = {'wte': f(vocabulary, width), 'wpe': f(16, width), 'one': I(1), 'zero': I(0), 'h': I(heads), 'minus': I(-1),
         'two': np.float32(2).reshape(()), 'half': np.float32(0.5).reshape(()), 'root2': np.float32(math.sqrt(2)).reshape(()),
         'unit': np.float32(1).reshape(()), 'eps': np.float32(1e-5).reshape(()), 'big': np.float32(-3e38).reshape(()),
         'i0': np.array(0, np.int64), 'i1': np.array(1, np.int64), 'step': np.array(1, np.int64),
         'scale': np.float32(math.sqrt(width / heads)).reshape(()), 'd': I(width)}
    n = []

    def norm(x, y):
        """As opset 13 writes it: by its parts."""
        w[y + '.g'], w[y + '.c'] = f(width), f(width)
        n.append(node('ReduceMean', x, y + '.m', axes=[-1]))
        n.append(node('Sub', f'{x} {y}.m', y + '.s'))
        n.append(node('Pow', f'{y}.s two', y + '.p'))
        n.append(node('ReduceMean', y + '.p', y + '.v', axes=[-1]))
        n.append(node('Add', f'{y}.v eps', y + '.e'))
        n.append(node('Sqrt', y + '.e', y + '.q'))
        n.append(node('Div', f'{y}.s {y}.q', y + '.n'))
        n.append(node('Mul', f'{y}.n {y}.g', y + '.k'))
        n.append(node('Add', f'{y}.k {y}.c', y))

    def dense(x, y, a, b):
        w[y + '.w'], w[y + '.b'] = f(a, b) * 0.4, f(b)
        n.append(node('MatMul', f'{x} {y}.w', y + '.x'))
        n.append(node('Add', f'{y}.b {y}.x', y))

    n.append(node('Shape', 'ids', 'sh'))
    n.append(node('Gather', 'sh i0', 'B', axis=0))
    n.append(node('Gather', 'sh i1', 'T', axis=0))
    n.append(node('Unsqueeze', 'B zero', 'B1'))
    n.append(node('Unsqueeze', 'T zero', 'T1'))
    n.append(node('Concat', 'B1 T1 h minus', 'to_heads', axis=0))
    n.append(node('Concat', 'B1 T1 d', 'to_rows', axis=0))
    n.append(node('Range', 'i0 T step', 'pos'))
    n.append(node('Gather', 'wte ids', 'tok', axis=0))
    n.append(node('Gather', 'wpe pos', 'pe', axis=0))
    n.append(node('Add', 'tok pe', 'x0'))
    if causal:
        n.append(node('Concat', 'T1 T1', 'square', axis=0))
        n.append(node('ConstantOfShape', 'square', 'ones', value=np.array([1], np.float32)))
        n.append(node('Trilu', 'ones', 'lower', upper=0))
        n.append(node('Cast', 'lower', 'seen', to=9))
    else:
        n.append(node('Cast', 'mask', 'maskf', to=1))
        n.append(node('Unsqueeze', 'maskf axes12', 'mask4'))
        w['axes12'] = I(1, 2)
        n.append(node('Sub', 'unit mask4', 'inv'))
        n.append(node('Mul', 'inv big', 'added'))
    for i in range(layers):
        a = f'l{i}.'
        norm(f'x{2 * i}', a + 'n1')
        for m in 'qkv':
            dense(a + 'n1', a + m, width, width)
            n.append(node('Reshape', f'{a}{m} to_heads', a + m + '4'))
            n.append(node('Transpose', a + m + '4', a + m + 't', perm=[0, 2, 3, 1] if m == 'k' else [0, 2, 1, 3]))
        n.append(node('MatMul', f'{a}qt {a}kt', a + 's'))
        n.append(node('Div', f'{a}s scale', a + 'sd'))
        n.append(node('Where', f'seen {a}sd big', a + 'sm') if causal else node('Add', f'{a}sd added', a + 'sm'))
        n.append(node('Softmax', a + 'sm', a + 'p', axis=-1))
        n.append(node('MatMul', f'{a}p {a}vt', a + 'o'))
        n.append(node('Transpose', a + 'o', a + 'ot', perm=[0, 2, 1, 3]))
        n.append(node('Reshape', f'{a}ot to_rows', a + 'of'))
        dense(a + 'of', a + 'out', width, width)
        n.append(node('Add', f'x{2 * i} {a}out', f'x{2 * i + 1}'))
        norm(f'x{2 * i + 1}', a + 'n2')
        dense(a + 'n2', a + 'up', width, 20)
        n.append(node('Div', f'{a}up root2', a + 'g1'))
        n.append(node('Erf', a + 'g1', a + 'g2'))
        n.append(node('Add', f'{a}g2 unit', a + 'g3'))
        n.append(node('Mul', f'{a}up {a}g3', a + 'g4'))
        n.append(node('Mul', f'{a}g4 half', a + 'g5'))
        dense(a + 'g5', a + 'down', 20, width)
        n.append(node('Add', f'x{2 * i + 1} {a}down', f'x{2 * i + 2}'))
    norm(f'x{2 * layers}', 'last')
    n.append(node('Transpose', 'wte', 'wteT', perm=[1, 0]))
    n.append(node('MatMul', 'last wteT', 'scores'))
    inputs = {'ids': random.integers(0, vocabulary, (2, time))}
    if not causal:
        inputs['mask'] = np.array([[1] * time, [1] * (time - 2) + [0] * 2], np.int64)
    case(name, n, inputs, {'scores': (1, 3)}, w, opset=14)


resnet()
transformer('network gpt', True)
transformer('network bert', False)
json.dump(cases, open(sys.argv[1], 'w'))
print(len(cases), 'cases')
