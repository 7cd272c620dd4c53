"""Tensor parallelism of DTensor with sequence parallelism between the layers and the loss in parallel (--loss-parallel); with --dp also fully sharded in the other dimension of the mesh. --meta: made without memory first, as large models are."""
import argparse
import contextlib

import torch
import torch.distributed as dist
from torch.distributed._composable.fsdp import fully_shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel, loss_parallel, parallelize_module

from llama import Llama, add_shape, loss_of, shape_of, text

p = argparse.ArgumentParser()
p.add_argument("--dp", type=int, default=1)
p.add_argument("--loss-parallel", action="store_true")
p.add_argument("--meta", action="store_true")
p.add_argument("--steps", type=int, default=2)
add_shape(p)
o = p.parse_args()

dist.init_process_group("gloo")
tp = dist.get_world_size() // o.dp
mesh = init_device_mesh("cpu", (o.dp, tp), mesh_dim_names=("dp", "tp"))
torch.manual_seed(1)
shape = shape_of(o)
with torch.device("meta") if o.meta else contextlib.nullcontext():
    model = Llama(shape)
if tp > 1:  # one rank has nothing to share; plans divide its graph
    parallelize_module(model, mesh["tp"], {
        "tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Shard(-1) if o.loss_parallel else Replicate(), use_local_output=not o.loss_parallel)})
    for block in model.blocks:
        parallelize_module(block, mesh["tp"], {
            "norm1": SequenceParallel(), "norm2": SequenceParallel(),
            "attention": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "attention.wq": ColwiseParallel(), "attention.wk": ColwiseParallel(), "attention.wv": ColwiseParallel(),
            "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
            "mlp": PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)),
            "mlp.gate": ColwiseParallel(), "mlp.up": ColwiseParallel(), "mlp.down": RowwiseParallel(output_layouts=Shard(1))})
if o.dp > 1:
    for block in model.blocks:
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
if o.meta:
    model.to_empty(device="cpu")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=False)
for step in range(o.steps):
    given, target = text(shape, 2)
    if o.loss_parallel:
        with loss_parallel():
            loss_of(model(given), target).backward()
    else:
        loss_of(model(given), target).backward()
    optimizer.step()
    optimizer.zero_grad()
