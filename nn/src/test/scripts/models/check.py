"""Compares Ebb with `transformers` and `peft`, on a machine that has them.

    python3 check.py OUT                (OUT as given to make.py)
    python3 check.py tuned BASE TUNED   (BASE and TUNED as given to ./ebb finetune --merge)

The first compares the references of make.py: each checkpoint is loaded by its own class from the
config in NAME.json; its scores and loss must be the reference's to 1e-5: the library computes norms
and rotations in f32 whatever the model's type.

The second loads what `./ebb finetune --from BASE --out TUNED --merge` wrote: TUNED/merged by
`transformers` alone, with its config and tokenizer, and TUNED as adapters beside BASE by `peft`. No
tensor may be missing, unexpected or drawn anew, and both must give the same scores to 1e-4. Where
neither library is there, plain.py checks the files' layout.
"""
import json
import shutil
import sys
import tempfile

import torch
import transformers

NAMES = ['llama3', 'qwen2', 'qwen3', 'mistral', 'gemma', 'bert', 'vit']


def main(out):
    worst = {}
    for name in NAMES:
        reference = json.load(open(f'{out}/{name}.json'))
        # Gemma computes its gelu by tanh; older versions of the library read that from
        # hidden_activation, newer ones from hidden_act, where early files have "gelu"
        if 'hidden_activation' in reference['config']:
            reference['config']['hidden_act'] = reference['config']['hidden_activation']
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
        worst[name] = max((scores - expected).abs().max().item(), abs(loss.item() - reference['loss']))
        print(name, worst[name])
    assert max(worst.values()) < 1e-5, worst


def tuned(base, folder):
    import peft

    auto = transformers.AutoModelForCausalLM
    merged, told = auto.from_pretrained(f'{folder}/merged', output_loading_info=True)
    strange = {kind: names for kind, names in told.items() if names and kind != 'error_msgs'}
    assert not strange and not told.get('error_msgs'), told
    apart = peft.PeftModel.from_pretrained(auto.from_pretrained(base, torch_dtype=torch.float32), folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(f'{folder}/merged')
    ids = tokenizer('the tide comes and goes', return_tensors='pt').input_ids
    with torch.no_grad():
        difference = (merged.eval()(ids).logits - apart.eval()(ids).logits).abs().max().item()
    print('merged against adapters', difference)
    assert difference < 1e-4


if __name__ == '__main__':
    if sys.argv[1] == 'tuned':
        tuned(sys.argv[2], sys.argv[3])
    else:
        main(sys.argv[1])
