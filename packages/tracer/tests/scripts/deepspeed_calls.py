"""What DeepSpeed asks of torch.distributed: ZeRO 1 and 2 (gradients reduced to their owners or averaged, scattered by buckets), ZeRO 3 (weights gathered for each layer, coalesced), experts exchanged by
all-to-all of the two kinds, and the rest that deepspeed.comm hands on. (Rajbhandari et al. 2020, 2022.)
"""
import datetime

import torch
import torch.distributed as dist
import torch.nn.functional as F

dist.init_process_group("gloo", init_method="env://", timeout=datetime.timedelta(minutes=5))
rank, world = dist.get_rank(), dist.get_world_size()
group = dist.new_group(range(world))
dist.monitored_barrier(group, timeout=datetime.timedelta(seconds=60))
assert dist.get_global_rank(group, 0) == 0 and dist.is_initialized() and dist.get_backend(group) == "gloo"
WIDTH, LAYERS = 32, 3


class Gathered(torch.autograd.Function):
    """ZeRO 3: a layer's weight exists whole only while it is used."""

    @staticmethod
    def whole(part):
        out = torch.empty(WIDTH * WIDTH)
        work = dist.all_gather_into_tensor(out, part, group=group, async_op=True)
        work.wait()
        return out.view(WIDTH, WIDTH)

    @staticmethod
    def forward(ctx, x, part):
        ctx.save_for_backward(x, part)
        return x @ Gathered.whole(part)

    @staticmethod
    def backward(ctx, grad):
        x, part = ctx.saved_tensors
        whole = Gathered.whole(part.detach())
        grad_part = torch.empty_like(part)
        grad_whole = (x.flatten(0, -2).t() @ grad.flatten(0, -2)).reshape(-1)
        dist.reduce_scatter_tensor(grad_part, grad_whole / world, group=group)
        return grad @ whole.t(), grad_part


torch.manual_seed(1)
parts = [torch.nn.Parameter(torch.randn(WIDTH * WIDTH // world) / 8) for _ in range(LAYERS)]
dense = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.GELU(), torch.nn.Linear(WIDTH, WIDTH))
for q in dense.parameters():
    dist.broadcast(q.data, 0, group=group)
optimizer = torch.optim.AdamW(parts + list(dense.parameters()), lr=1e-3)
for step in range(2):
    x = torch.randn(4, 8, WIDTH)
    # prefetch: the next weights at once
    with dist._coalescing_manager(group, async_ops=True) as many:
        for part in parts[:2]:
            dist.all_gather_into_tensor(torch.empty(WIDTH * WIDTH), part.detach(), group=group, async_op=True)
    many.wait()
    y = x
    for part in parts:
        y = F.relu(Gathered.apply(y, part))
    # experts: as many tokens to each
    tokens = y.reshape(world, -1, WIDTH)
    sent = torch.empty_like(tokens)
    dist.all_to_all_single(sent, tokens.detach().contiguous(), group=group)
    y = dense(y + sent.view_as(y))
    y.square().mean().backward()
    # ZeRO 1: averaged whole; ZeRO 2: to the owner of each
    flat = torch.cat([q.grad.reshape(-1) for q in dense.parameters()])
    if step == 0:
        flat.div_(world)
        dist.all_reduce(flat, group=group)
    works = []
    for index, q in enumerate(dense.parameters()):
        works.append(dist.reduce(q.grad, dst=dist.get_global_rank(group, index % world), group=group, async_op=True))
    for work in works:
        work.wait()
    overflow = torch.tensor([0], dtype=torch.uint8)
    dist.all_reduce(overflow, op=dist.ReduceOp.MAX)
    dist.all_reduce_coalesced([torch.ones(4), torch.ones(8)], group=group)
    optimizer.step()
    works = [dist.broadcast(q.data, index % world, group=group, async_op=True) for index, q in enumerate(dense.parameters())]
    for work in works:
        work.wait()
    optimizer.zero_grad()
counts = [torch.zeros(1, dtype=torch.int64) for _ in range(world)]
dist.all_gather(counts, torch.tensor([rank]), group=group)
dist.barrier(group)
