"""Compares the references of make.py with `transformers`, on a machine that has it.

    python3 check.py OUT     (OUT as given to make.py)

Each checkpoint is loaded by its own class from the config in NAME.json; its scores and loss must be
the reference's to 1e-5: the library computes norms and rotations in f32 whatever the model's type.
"""
import json
import shutil
import sys
import tempfile

import torch
import transformers

NAMES = ['llama3', 'qwen2', 'qwen3', 'mistral', 'gemma', 'bert', 'vit']


def main(out):
    for name in NAMES:
        reference = json.load(open(f'{out}/{name}.json'))
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(f'{out}/{name}.safetensors', f'{folder}/model.safetensors')
            json.dump(reference['config'], open(f'{folder}/config.json', 'w'))
            kind = getattr(transformers, reference['config']['architectures'][0])
            model = kind.from_pretrained(folder, attn_implementation='eager').double().eval()
        inputs = reference['inputs']
        if isinstance(inputs, dict):
            scores = model(torch.tensor(inputs['data'], dtype=torch.float64).reshape(inputs['shape'])).logits
        else:
            scores = model(torch.tensor(inputs)).logits
        expected = torch.tensor(reference['scores'], dtype=torch.float64).reshape(scores.shape)
        targets = torch.tensor(reference['targets']).reshape(-1)
        loss = torch.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), targets)
        print(name, (scores - expected).abs().max().item(), abs(loss.item() - reference['loss']))
        assert (scores - expected).abs().max() < 1e-5 and abs(loss.item() - reference["loss"]) < 1e-5


if __name__ == '__main__':
    main(sys.argv[1])
