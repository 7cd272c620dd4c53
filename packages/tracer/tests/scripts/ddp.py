"""DistributedDataParallel with small buckets: accumulated gradients (no_sync), views of buckets, a static graph, a hook that sends float16, autocast and a scaler; ZeRO-1's optimizer (--zero), FSDP1 (--fsdp)."""
import argparse

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.optim import ZeroRedundancyOptimizer

from llama import Llama, Shape, loss_of, text

p = argparse.ArgumentParser()
for name in ("views", "static", "hook", "amp", "zero", "fsdp"):
    p.add_argument("--" + name, action="store_true")
p.add_argument("--accumulate", type=int, default=1)
o = p.parse_args()

dist.init_process_group("gloo")
torch.manual_seed(1)
shape = Shape()
if o.fsdp:
    model = Llama(shape)
    for i, block in enumerate(model.blocks):
        model.blocks[i] = FullyShardedDataParallel(block, device_id=torch.device("cpu"))
    model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
else:
    model = torch.nn.parallel.DistributedDataParallel(Llama(shape), bucket_cap_mb=0.05, gradient_as_bucket_view=o.views, static_graph=o.static)
if o.hook:
    model.register_comm_hook(None, default_hooks.fp16_compress_hook)
if o.zero:
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-3)
else:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", enabled=o.amp)
for step in range(3):
    for part in range(o.accumulate):
        given, target = text(shape, 2)
        last = part == o.accumulate - 1
        model.require_backward_grad_sync = last
        with torch.autocast("cpu", torch.bfloat16, enabled=o.amp):
            loss = loss_of(model(given), target)
        scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
