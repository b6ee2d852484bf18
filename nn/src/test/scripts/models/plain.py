"""Checks what `./ebb finetune --merge` wrote, with nothing but numpy.

    python3 plain.py BASE TUNED

Reads the headers and tensors of BASE/model.safetensors, TUNED/merged/model.safetensors and
TUNED/adapter_model.safetensors byte by byte, as the format's page says, and TUNED/adapter_config.json.
Every tensor of the base must be in the merged file under its name, with its shape, and must be the
base's plus scale * (B A), transposed where fan_in_fan_out says that it is stored as [inputs, outputs];
tensors without adapters must be the base's own bits, widened to f32.
"""
import json
import struct
import sys

import numpy as np

TYPES = {'F64': '<f8', 'F32': '<f4', 'F16': '<f2', 'I64': '<i8', 'I32': '<i4', 'U8': 'u1', 'BOOL': 'u1'}


def read(path):
    data = open(path, 'rb').read()
    size = struct.unpack('<Q', data[:8])[0]
    header = json.loads(data[8:8 + size])
    note = header.pop('__metadata__', {})
    body = data[8 + size:]
    end = 0
    tensors = {}
    for name, t in sorted(header.items(), key=lambda item: item[1]['data_offsets']):
        start, stop = t['data_offsets']
        assert start == end, f'a hole before {name}'
        end = stop
        raw = body[start:stop]
        if t['dtype'] == 'BF16':
            wide = np.frombuffer(raw, '<u2').astype(np.uint32) << 16
            values = wide.view(np.float32)
        else:
            values = np.frombuffer(raw, TYPES[t['dtype']])
        tensors[name] = values.reshape(t['shape'])
    assert end == len(body), 'bytes behind the last tensor'
    return tensors, note


def main(base, tuned):
    own, _ = read(f'{base}/model.safetensors')
    merged, note = read(f'{tuned}/merged/model.safetensors')
    adapters, _ = read(f'{tuned}/adapter_model.safetensors')
    config = json.load(open(f'{tuned}/adapter_config.json'))
    assert note.get('format') == 'pt', 'transformers refuses a file whose note format is not pt'
    assert config['peft_type'] == 'LORA' and json.load(open(f'{tuned}/merged/config.json'))['model_type']
    scale = config['lora_alpha'] / config['r']
    corrected = set()
    for name in [n for n in adapters if n.endswith('.lora_A.weight')]:
        layer = name.removeprefix('base_model.model.').removesuffix('.lora_A.weight')
        down, up = adapters[name], adapters[name.replace('lora_A', 'lora_B')]
        assert down.shape[0] == up.shape[1] == config['r'], name
        own_name = next(n for n in own if n == layer + '.weight' or 'transformer.' + n == layer + '.weight')
        change = scale * (up.astype(np.float64) @ down.astype(np.float64))
        expected = own[own_name] + (change.T if config['fan_in_fan_out'] else change)
        found = merged.get(own_name, merged.get('transformer.' + own_name))
        difference = np.abs(found - expected).max()
        assert difference < 1e-5, f'{own_name} differs by {difference}'
        corrected.add(own_name)
    for name, tensor in own.items():
        found = merged.get(name, merged.get('transformer.' + name))
        assert found is not None and found.shape == tensor.shape, name
        if name not in corrected:
            assert np.array_equal(found, tensor.astype(np.float32)), name
    print(f'{len(own)} tensors, of which {len(corrected)} were corrected: as they should be')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
