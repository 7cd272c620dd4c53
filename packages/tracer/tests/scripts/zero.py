"""A Llama-like model trained by DeepSpeed itself, on devices of `cuda`. `--zero` has more of its `zero_optimization`, as JSON."""
import argparse
import json

import deepspeed
import torch

from llama import Llama, add_shape, loss_of, shape_of, text

p = argparse.ArgumentParser()
p.add_argument("--stage", type=int, default=3)
p.add_argument("--zero", type=json.loads, default={})
p.add_argument("--accumulate", type=int, default=1)
p.add_argument("--batch", type=int, default=2)
p.add_argument("--steps", type=int, default=4)
p.add_argument("--init", action="store_true", help="parameters are divided as they are made, and products keep no whole weights for the backward")
add_shape(p)
o = p.parse_args()

config = {
    "train_micro_batch_size_per_gpu": o.batch,
    "gradient_accumulation_steps": o.accumulate,
    "bf16": {"enabled": True},
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "torch_adam": True}},
    "zero_optimization": {"stage": o.stage, **o.zero},
}
shape = shape_of(o)
with deepspeed.zero.Init(config_dict_or_path=config, enabled=o.init):
    model = Llama(shape)
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
for step in range(o.steps * o.accumulate):
    given, target = (t.to(engine.device) for t in text(shape, o.batch))
    engine.backward(loss_of(engine(given), target))
    engine.step()
