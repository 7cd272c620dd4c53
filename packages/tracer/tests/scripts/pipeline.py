"""torch.distributed.pipelining under any of its schedules (--schedule), stages from a mesh of pp x dp x tp; data parallelism by fully_shard or, with --ddp, all-reduces."""
import argparse

import torch
import torch.distributed as dist
from torch.distributed._composable.fsdp import fully_shard
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.pipelining import PipelineStage, schedules
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from llama import Llama, Shape, loss_of, text

p = argparse.ArgumentParser()
p.add_argument("--schedule", default="1F1B")
p.add_argument("--chunks", type=int, default=1, help="stages on a rank")
p.add_argument("--dp", type=int, default=1)
p.add_argument("--tp", type=int, default=1)
p.add_argument("--micro-batches", type=int, default=4)
o = p.parse_args()

dist.init_process_group("gloo")
pp = dist.get_world_size() // o.dp // o.tp
mesh = init_device_mesh("cpu", (pp, o.dp, o.tp), mesh_dim_names=("pp", "dp", "tp"))
rank = mesh.get_local_rank("pp")
kind = schedules.get_schedule_class(o.schedule)
several = issubclass(kind, schedules.PipelineScheduleMulti)
count = pp * (o.chunks if several else 1)
shape = Shape(layers=max(4, count))
if "ZBV" in o.schedule:
    mine = [rank, count - 1 - rank]
else:
    mine = list(range(rank, count, pp))

torch.manual_seed(1)
stages, parts = [], []
for index in mine:
    part = Llama(shape, index * shape.layers // count, (index + 1) * shape.layers // count)
    if o.tp > 1:
        for block in part.blocks:
            parallelize_module(block, mesh["tp"], {
                "attention.wq": ColwiseParallel(), "attention.wk": ColwiseParallel(), "attention.wv": ColwiseParallel(), "attention.wo": RowwiseParallel(),
                "mlp.gate": ColwiseParallel(), "mlp.up": ColwiseParallel(), "mlp.down": RowwiseParallel()})
    if o.dp > 1:
        for block in part.blocks:
            fully_shard(block, mesh=mesh["dp"])
        fully_shard(part, mesh=mesh["dp"])
    parts.append(part)
    stages.append(PipelineStage(part, index, count, torch.device("cpu"), group=mesh.get_group("pp")))
how = {"stage_index_to_group_rank": {s: s if s < pp else count - 1 - s for s in range(count)}} if "ZBV" in o.schedule else {}
schedule = kind(stages if several else stages[0], o.micro_batches, loss_fn=loss_of, **how)
optimizer = torch.optim.AdamW([q for part in parts for q in part.parameters()], lr=1e-3, foreach=False)
for step in range(2):
    given, target = text(shape, 2 * o.micro_batches)
    losses = []
    schedule.step(*([given] if 0 in mine else []), **(dict(target=target, losses=losses) if count - 1 in mine else {}))
    optimizer.step()
    optimizer.zero_grad()
