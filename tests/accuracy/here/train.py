"""Training steps to be predicted and then run: a GPT, a Llama-like model or a CNN, on one process or on two.

    torchrun --nproc_per_node 2 train.py --model gpt --how tensor --accumulate 2

`--how`: single; ddp (DistributedDataParallel); zero (its states sharded, ZeroRedundancyOptimizer); tensor (Megatron-LM's division: Shoeybi et al. 2019);
pipeline (two stages, 1F1B: Narayanan et al. 2021); sharded (parameters gathered layer by layer, forward and again backward, gradients scattered: FSDP, Zhao et
al. 2023, by the calls that gloo has). With `--times FILE` rank 0 writes the seconds of each step.
"""
import argparse
import json
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

SMALL = "HERE_SMALL" in os.environ  # for tests of the comparison itself
HIDDEN, HEADS, LAYERS, SEQUENCE, VOCABULARY = (64, 2, 2, 16, 128) if SMALL else (512, 8, 4, 128, 4096)
PICTURE, CLASSES = (16, 10) if SMALL else (64, 100)


class Sum(torch.autograd.Function):
    """Forward: the sum over all ranks. Backward: as it is."""

    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


class Copy(torch.autograd.Function):
    """Forward: as it is. Backward: the sum over all ranks."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.clone()
        dist.all_reduce(grad)
        return grad


def whole(x):
    return x


class RootMeanSquare(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Block(nn.Module):
    """A layer of a transformer, split over `ways` ranks by columns, then by rows."""

    def __init__(self, llama, ways):
        super().__init__()
        self.llama, self.heads = llama, HEADS // ways
        self.enter, self.leave = (Copy.apply, Sum.apply) if ways > 1 else (whole, whole)
        norm = RootMeanSquare if llama else nn.LayerNorm
        inner = (8 * HIDDEN // 3 + 63) // 64 * 64 if llama else 4 * HIDDEN
        self.norm1, self.norm2 = norm(HIDDEN), norm(HIDDEN)
        self.qkv = nn.Linear(HIDDEN, 3 * HIDDEN // ways, bias=not llama)
        self.out = nn.Linear(HIDDEN // ways, HIDDEN, bias=False)
        self.up = nn.Linear(HIDDEN, inner // ways, bias=not llama)
        self.gate = nn.Linear(HIDDEN, inner // ways, bias=False) if llama else None
        self.down = nn.Linear(inner // ways, HIDDEN, bias=False)

    def attention(self, x):
        b, s, _ = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        later = torch.ones(s, s, dtype=torch.bool).triu(1)
        y = scores.masked_fill(later, float("-inf")).softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, s, -1))

    def forward(self, x):
        x = x + self.leave(self.attention(self.enter(self.norm1(x))))
        y = self.enter(self.norm2(x))
        y = F.silu(self.gate(y)) * self.up(y) if self.llama else F.gelu(self.up(y))
        return x + self.leave(self.down(y))


class Embed(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCABULARY, HIDDEN), nn.Embedding(SEQUENCE, HIDDEN)

    def forward(self, x):
        return self.tokens(x) + self.positions(torch.arange(x.shape[1]))


class Residual(nn.Module):
    def __init__(self, wide, out, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(wide, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out)
        self.conv2, self.norm2 = nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out)
        self.short = nn.Conv2d(wide, out, 1, stride, bias=False) if stride > 1 or wide != out else nn.Identity()

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(y + self.short(x))


class Pool(nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


def parts_of(model, ways):
    """The model as a list of modules that run one after the other."""
    if model == "cnn":
        widths = [(32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
        return [nn.Conv2d(3, 32, 3, 1, 1, bias=False), *(Residual(*w) for w in widths), Pool(), nn.Linear(128, CLASSES)]
    llama = model == "llama"
    norm = RootMeanSquare if llama else nn.LayerNorm
    return [Embed(), *(Block(llama, ways) for _ in range(LAYERS)), norm(HIDDEN), nn.Linear(HIDDEN, VOCABULARY, bias=False)]


def batch_of(model, batch):
    if model == "cnn":
        return torch.randn(batch, 3, PICTURE, PICTURE), torch.randint(CLASSES, (batch,))
    text = torch.randint(VOCABULARY, (batch, SEQUENCE + 1))
    return text[:, :-1].contiguous(), text[:, 1:].contiguous()


def loss_of(y, target):
    return F.cross_entropy(y.flatten(0, -2), target.flatten())


class Gathered(nn.Module):
    """A module whose parameters are one flat shard on each rank: gathered before it runs, and again before its backward, which runs it again."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.names = [inner], [n for n, _ in inner.named_parameters()]
        self.shapes = [p.shape for p in inner.parameters()]
        flat = torch.cat([p.detach().flatten() for p in inner.parameters()]) if self.names else torch.zeros(0)
        self.world = dist.get_world_size()
        room = (len(flat) + self.world - 1) // self.world
        flat = F.pad(flat, (0, room * self.world - len(flat)))
        self.shard = nn.Parameter(flat[dist.get_rank() * room:(dist.get_rank() + 1) * room].clone())

    def forward(self, x):
        return Run.apply(x, self.shard, self)

    def gather(self):
        parts = [torch.empty_like(self.shard) for _ in range(self.world)]
        dist.all_gather(parts, self.shard.detach())
        flat, at = torch.cat(parts), 0
        for name, shape in zip(self.names, self.shapes):
            owner, _, leaf = name.rpartition(".")
            module = self.inner[0].get_submodule(owner)
            module._parameters[leaf] = nn.Parameter(flat[at:at + shape.numel()].view(shape))
            at += shape.numel()

    def scatter(self):
        grads = torch.cat([p.grad.flatten() for p in self.inner[0].parameters()])
        grads = F.pad(grads, (0, self.shard.numel() * self.world - len(grads)))
        dist.all_reduce(grads)  # gloo scatters no sums
        rank = dist.get_rank()
        return grads[rank * self.shard.numel():(rank + 1) * self.shard.numel()] / self.world


class Run(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, shard, module):
        ctx.module = module
        ctx.save_for_backward(x)
        module.gather()
        with torch.no_grad():
            return module.inner[0](x)

    @staticmethod
    def backward(ctx, grad):
        module, (x,) = ctx.module, ctx.saved_tensors
        module.gather()
        x = x.detach()
        if x.is_floating_point():
            x.requires_grad_()
        with torch.enable_grad():
            y = module.inner[0](x)
        y.backward(grad)
        return x.grad, module.scatter(), None


class Replica:
    """All of the model on each rank, or a part of each of its matrices."""

    def __init__(self, o):
        torch.manual_seed(1)
        parts = parts_of(o.model, 2 if o.how == "tensor" else 1)
        if o.how == "sharded":
            parts = [Gathered(part) if list(part.parameters()) else part for part in parts]
        self.model, self.o = nn.Sequential(*parts), o
        if o.how in ("ddp", "zero"):
            self.model = DistributedDataParallel(self.model)
        if o.how == "zero":
            self.optimizer = ZeroRedundancyOptimizer(self.model.parameters(), torch.optim.AdamW, lr=1e-3)
        else:
            self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        for part in range(self.o.accumulate):
            given, target = batch_of(self.o.model, self.o.batch)
            if isinstance(self.model, DistributedDataParallel):
                self.model.require_backward_grad_sync = part == self.o.accumulate - 1
            if self.o.how == "sharded" and given.is_floating_point():
                given.requires_grad_()
            (loss_of(self.model(given), target) / self.o.accumulate).backward()
        self.optimizer.step()


class Stage:
    """A half of the model on each of two ranks."""

    def __init__(self, o):
        torch.manual_seed(1)
        parts, self.o, self.rank = parts_of(o.model, 1), o, dist.get_rank()
        half = len(parts) // 2
        self.model = nn.Sequential(*(parts[:half] if self.rank == 0 else parts[half:]))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        with torch.no_grad():
            x = nn.Sequential(*parts[:half])(batch_of(o.model, o.batch)[0])
        self.border = x.shape

    def forward(self):
        given, target = batch_of(self.o.model, self.o.batch)
        if self.rank == 0:
            y = self.model(given)
            self.sent.append((dist.isend(y.detach(), 1), y))
            return None, y
        x = torch.empty(self.border)
        dist.recv(x, 0)
        x.requires_grad_()
        return x, loss_of(self.model(x), target) / self.o.accumulate

    def backward(self, x, y):
        if self.rank == 0:
            grad = torch.empty(self.border)
            dist.recv(grad, 1)
            y.backward(grad)
        else:
            y.backward()
            self.sent.append((dist.isend(x.grad, 0), x))

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        held, self.sent, warm = [], [], 1 - self.rank
        for i in range(self.o.accumulate + warm):
            if i < self.o.accumulate:
                held.append(self.forward())
            if i >= warm:
                self.backward(*held.pop(0))
        for work, _ in self.sent:
            work.wait()
        self.optimizer.step()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", choices=["gpt", "llama", "cnn"], required=True)
    p.add_argument("--how", choices=["single", "ddp", "zero", "tensor", "pipeline", "sharded"], required=True)
    p.add_argument("--batch", type=int, default=2)
    p.add_argument("--accumulate", type=int, default=1)
    p.add_argument("--steps", type=int, default=2)
    p.add_argument("--times")
    o = p.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    job = Stage(o) if o.how == "pipeline" else Replica(o)
    times = []
    for _ in range(o.steps):
        if o.times:
            dist.barrier()
        begin = time.perf_counter()
        job.step()
        times.append(time.perf_counter() - begin)
    if o.times and dist.get_rank() == 0:
        with open(o.times, "w") as out:
            json.dump(times, out)


if __name__ == "__main__":
    main()
