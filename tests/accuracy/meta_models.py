#!/usr/bin/env python3
"""meta_models.py (FILE | --default TYPE FOLDER)...: models of config.json files as transformers itself
builds them, on the meta device, where nothing is allocated. One JSON record a model on stdout: its parameters,
each tensor once, and the forward products with its weights for 256 words. `--default` writes the
configuration of a type as its class has it into FOLDER. Run by configurations.py under a Python with transformers."""
import json
import os
import re
import sys
import warnings

import torch
import transformers
from transformers import AutoConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

transformers.logging.set_verbosity_error()
warnings.filterwarnings("ignore")
# Heads in the order in which they are tried: the first that a type has is the one that is trained.
HEADS = ("AutoModelForCausalLM", "AutoModelForImageTextToText", "AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq",
         "AutoModelForMaskedLM", "AutoModelForImageClassification", "AutoModel")
# What a step corrects without a gradient is counted by us as well, and is a buffer in transformers.
CORRECTED = ("correction_bias", "expert_bias", "expert_biases", "balance_bias")
SPECIAL = {"bert": "BertForPreTraining", "clip": "AutoModel", "whisper": "AutoModelForSpeechSeq2Seq",
           **dict.fromkeys(("t5", "mt5", "bart", "mbart"), "AutoModelForSeq2SeqLM"),
           **dict.fromkeys(("roberta", "xlm-roberta", "camembert", "roberta-prelayernorm"), "AutoModelForMaskedLM")}


# Of a model of pictures and words, what its decoder has not.
TOWERS = re.compile("visual|vision|projector|audio|image_newline")


def config_of(file):
    with open(file) as opened:
        said = json.load(opened)
    kind = said.get("model_type", "")
    if kind not in CONFIG_MAPPING:
        raise ValueError(f"transformers {transformers.__version__} has no `{kind}`")
    said.pop("auto_map", None)
    said.pop("quantization_config", None)
    return CONFIG_MAPPING[kind].from_dict(said)


def build(config):
    last = None
    heads = HEADS if not hasattr(config, "text_config") or config.model_type == "clip" else HEADS[1:2] + HEADS
    for head in ([SPECIAL[config.model_type]] if config.model_type in SPECIAL else []) + list(heads):
        factory = getattr(transformers, head)
        mapping = getattr(factory, "_model_mapping", None)
        if mapping is not None and type(config) not in mapping:
            continue
        try:
            with torch.device("meta"):
                return factory.from_config(config) if mapping is not None else factory(config)
        except Exception as error:
            last = error
    raise last or ValueError("no class of a model takes it")


def counted(model, words=False):
    """parameters, each tensor once; `words`: without towers"""
    trained = {id(p): p.numel() for n, p in model.named_parameters() if not (words and TOWERS.search(n))}
    kept = {id(b): b.numel() for n, b in model.named_buffers() if n.endswith(CORRECTED)}
    return sum(trained.values()) + sum(kept.values())


def routed(model, config):
    """FLOPs for a word of experts and of what chooses them, which are tensors of three dimensions and no modules"""
    top, found = getattr(config, "num_experts_per_tok", None) or 0, 0
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            if parameter.dim() == 3 and "Experts" in type(module).__name__:
                found += 2 * top * parameter.numel() // parameter.shape[0]
            if parameter.dim() == 2 and re.search("Router|Gate$", type(module).__name__) and not isinstance(module, torch.nn.Linear):
                found += 2 * parameter.numel()
    return found


def products(model, config, words=256):
    """FLOPs of products with weights in a forward of one sample; None where the model does not run on the meta device"""
    found, hooks = [words * routed(model, config)], []

    def met(module, given, out):
        width = module.weight.shape[0 if type(module).__name__ == "Conv1D" else 1]
        found[0] += 2 * given[0].numel() // width * module.weight.numel()

    for module in model.modules():
        if isinstance(module, torch.nn.Linear) or type(module).__name__ == "Conv1D":
            hooks.append(module.register_forward_hook(met))
    ids = torch.zeros((1, words), dtype=torch.long, device="meta")
    try:
        with torch.no_grad():
            model(input_ids=ids)
    except Exception:
        return None
    finally:
        for hook in hooks:
            hook.remove()
    return found[0]


def record(name, file):
    try:
        config = config_of(file)
        model, seeing = build(config), hasattr(config, "vision_config")
        if config.model_type.endswith("_text") and not hasattr(model, "lm_head"):
            raise ValueError(f"no class of `{config.model_type}` has a head")
        return {"name": name, "file": file, "words": counted(model, True) if seeing else None, "parameters": counted(model),
                "products": None if seeing or os.environ.get("META_PRODUCTS") == "0" else products(model, config)}
    except Exception as error:
        return {"name": name, "file": file, "reason": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:160]}


def default(kind, folder):
    """what a class has where a file says nothing"""
    said = AutoConfig.for_model(kind).to_dict()
    file = os.path.join(folder, kind + ".json")
    with open(file, "w") as out:
        json.dump(said, out, default=str)
    return file


def main():
    asked = sys.argv[1:]
    while asked:
        if asked[0] == "--default":
            kind, folder = asked[1:3]
            asked = asked[3:]
            try:
                file = default(kind, folder)
            except Exception as error:
                print(json.dumps({"name": kind, "reason": f"{type(error).__name__}: {str(error)[:120]}"}), flush=True)
                continue
            print(json.dumps(record(kind, file)), flush=True)
        else:
            print(json.dumps(record(asked[0], asked[0])), flush=True)
            asked = asked[1:]


if __name__ == "__main__":
    main()
