"""FSDP2: fully_shard of each block, on one dimension of ranks or two (--replicas), with recomputation of activations (--recompute), parameters in bfloat16 (--bf16), accumulated gradients (--accumulate). --meta: made without memory first, as large models are."""
import argparse
import contextlib

import torch
import torch.distributed as dist
from torch.distributed._composable.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import apply_activation_checkpointing
from torch.distributed.device_mesh import init_device_mesh

from llama import Block, Llama, add_shape, loss_of, shape_of, text

p = argparse.ArgumentParser()
p.add_argument("--replicas", type=int, default=1)
p.add_argument("--accumulate", type=int, default=1)
p.add_argument("--recompute", action="store_true")
p.add_argument("--bf16", action="store_true")
p.add_argument("--keep", action="store_true", help="parameters stay whole between forward and backward")
p.add_argument("--meta", action="store_true")
p.add_argument("--batch", type=int, default=2)
p.add_argument("--steps", type=int, default=3)
add_shape(p)
o = p.parse_args()

dist.init_process_group("gloo")
world = dist.get_world_size()
if o.replicas > 1:
    mesh = init_device_mesh("cpu", (o.replicas, world // o.replicas), mesh_dim_names=("replicate", "shard"))
else:
    mesh = init_device_mesh("cpu", (world,))
torch.manual_seed(1)
shape = shape_of(o)
with torch.device("meta") if o.meta else contextlib.nullcontext():
    model = Llama(shape)
if o.recompute:
    apply_activation_checkpointing(model, check_fn=lambda module: isinstance(module, Block))
how = dict(mesh=mesh, reshard_after_forward=not o.keep)
if o.bf16:
    how["mp_policy"] = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
if world > 1:  # one rank has nothing to share; plans divide its graph
    for block in model.blocks:
        fully_shard(block, **how)
    fully_shard(model, **how)
if o.meta:
    model.to_empty(device="cpu")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(o.steps):
    for part in range(o.accumulate):
        if world > 1:
            model.set_requires_gradient_sync(part == o.accumulate - 1)
        given, target = text(shape, o.batch)
        loss_of(model(given), target).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
