"""A GPT in plain PyTorch with tensor, pipeline and data parallelism, written for `torchrun`; runs on CPUs with gloo.

    trainspec-trace --world 8 -o gpt.{rank}.json -- python gpt.py --tp 2 --pp 2

Tensor parallelism as Megatron-LM splits a layer (Shoeybi et al. 2019): the first matrix of attention and MLP by columns, the second by rows. The pipeline is
1F1B (Narayanan et al. 2021). Ranks are numbered with tp innermost, then dp, then pp.
"""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class Copy(torch.autograd.Function):
    """Forward: as it is. Backward: the sum over the group."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.clone()
        dist.all_reduce(grad, group=ctx.group)
        return grad, None


class Sum(torch.autograd.Function):
    """Forward: the sum over the group. Backward: as it is."""

    @staticmethod
    def forward(ctx, x, group):
        x = x.clone()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Block(nn.Module):
    def __init__(self, o, tp):
        super().__init__()
        self.tp, self.heads = tp, o.heads // o.tp
        self.norm1, self.norm2 = nn.LayerNorm(o.hidden), nn.LayerNorm(o.hidden)
        self.qkv = nn.Linear(o.hidden, 3 * o.hidden // o.tp)
        self.out = nn.Linear(o.hidden // o.tp, o.hidden, bias=False)
        self.up = nn.Linear(o.hidden, 4 * o.hidden // o.tp)
        self.down = nn.Linear(4 * o.hidden // o.tp, o.hidden, bias=False)

    def attention(self, x):
        b, s, _ = x.shape
        q, k, v = self.qkv(x).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        mask = torch.ones(s, s, dtype=torch.bool, device=x.device).triu(1)
        y = scores.masked_fill(mask, float("-inf")).softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, s, -1))

    def forward(self, x):
        x = x + Sum.apply(self.attention(Copy.apply(self.norm1(x), self.tp)), self.tp)
        return x + Sum.apply(self.down(F.gelu(self.up(Copy.apply(self.norm2(x), self.tp)))), self.tp)


class Stage(nn.Module):
    def __init__(self, o, index, tp):
        super().__init__()
        self.first, self.last = index == 0, index == o.pp - 1
        if self.first:
            self.tokens, self.positions = nn.Embedding(o.vocabulary, o.hidden), nn.Embedding(o.sequence, o.hidden)
        self.blocks = nn.ModuleList(Block(o, tp) for _ in range(o.layers // o.pp))
        if self.last:
            self.norm, self.head = nn.LayerNorm(o.hidden), nn.Linear(o.hidden, o.vocabulary, bias=False)

    def forward(self, x, target):
        if self.first:
            x = self.tokens(x) + self.positions(torch.arange(x.shape[1], device=x.device))
        for block in self.blocks:
            x = block(x)
        if not self.last:
            return x
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), target.flatten())


class Job:
    def __init__(self, o):
        dist.init_process_group("nccl" if o.device == "cuda" else "gloo")
        self.o, rank, world = o, dist.get_rank(), dist.get_world_size()
        o.dp = world // (o.tp * o.pp)
        coordinate = {"tp": rank % o.tp, "dp": rank // o.tp % o.dp, "pp": rank // (o.tp * o.dp)}
        self.stage = coordinate["pp"]
        self.tp = self.group(rank, [[(p * o.dp + d) * o.tp + t for t in range(o.tp)] for p in range(o.pp) for d in range(o.dp)])
        self.dp = self.group(rank, [[(p * o.dp + d) * o.tp + t for d in range(o.dp)] for p in range(o.pp) for t in range(o.tp)])
        pipelines = [[(p * o.dp + d) * o.tp + t for p in range(o.pp)] for d in range(o.dp) for t in range(o.tp)]
        self.down, self.up = self.group(rank, pipelines), self.group(rank, pipelines)  # activations and gradients cross
        step = o.tp * o.dp
        self.before, self.after = rank - step, rank + step
        torch.manual_seed(coordinate["pp"])
        self.model = Stage(o, self.stage, self.tp).to(o.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    @staticmethod
    def group(rank, all_ranks):
        mine = None
        for ranks in all_ranks:
            group = dist.new_group(ranks)
            mine = group if rank in ranks else mine
        return mine

    def forward(self, tokens, target):
        o = self.o
        if self.model.first:
            x = tokens
        else:
            x = torch.empty(o.batch, o.sequence, o.hidden, device=o.device)
            dist.recv(x, self.before, group=self.down)
            x.requires_grad_()
        y = self.model(x, target)
        if not self.model.last:
            self.sent.append(dist.isend(y.detach(), self.after, group=self.down))
        return x, y

    def backward(self, x, y):
        if self.model.last:
            (y / self.o.micro_batches).backward()
        else:
            grad = torch.empty_like(y)
            dist.recv(grad, self.after, group=self.up)
            y.backward(grad)
        if not self.model.first:
            self.sent.append(dist.isend(x.grad, self.before, group=self.up))

    def step(self):
        o, held, losses = self.o, [], []
        self.optimizer.zero_grad(set_to_none=True)
        self.sent = []
        warm = min(o.pp - 1 - self.stage, o.micro_batches)
        for i in range(o.micro_batches + warm):
            if i < o.micro_batches:
                text = torch.randint(o.vocabulary, (o.batch, o.sequence + 1), device=o.device)
                held.append(self.forward(text[:, :-1], text[:, 1:]))
            if i >= warm:
                x, y = held.pop(0)
                self.backward(x, y)
                losses.append(y.detach() if self.model.last else None)
        for work in self.sent:
            work.wait()
        works = [dist.all_reduce(p.grad, group=self.dp, async_op=True) for p in self.model.parameters()]
        for work, p in zip(works, self.model.parameters()):
            work.wait()
            p.grad /= o.dp
        self.optimizer.step()
        return sum(losses).item() / o.micro_batches if self.model.last else None


def main():
    parser = argparse.ArgumentParser()
    for name, value in dict(tp=1, pp=1, layers=4, hidden=64, heads=4, sequence=32, vocabulary=128, batch=2, micro_batches=4, steps=2).items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    o = parser.parse_args()
    if o.device == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)) % torch.cuda.device_count())
    job = Job(o)
    for step in range(o.steps):
        loss = job.step()
        if loss is not None and dist.get_rank() == dist.get_world_size() - 1:
            print(f"step {step}: loss {loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
