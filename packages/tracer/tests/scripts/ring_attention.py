"""Context parallelism: each rank has a part of the sequence; keys and values go around a ring by isend and irecv while the rank attends to those that it has (Liu et al. 2023, Ring Attention), and again
in the backward, with their gradients."""
import argparse

import torch
import torch.distributed as dist
import torch.nn as nn

p = argparse.ArgumentParser()
for name, value in (("batch", 2), ("sequence", 256), ("hidden", 64), ("heads", 4), ("layers", 2)):
    p.add_argument("--" + name, type=int, default=value)
o = p.parse_args()
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()


class Turn:
    """Sends to the next rank what came from the one before, while what was there is used."""

    def __init__(self, parts):
        self.parts = [part.contiguous() for part in parts]
        self.next = [torch.empty_like(part) for part in self.parts]
        # Even ranks send first, so that blocking transports do not wait for each other.
        sends = lambda: [dist.isend(part, (rank + 1) % world) for part in self.parts]  # noqa: E731
        receives = lambda: [dist.irecv(part, (rank - 1) % world) for part in self.next]  # noqa: E731
        self.works = sends() + receives() if rank % 2 == 0 else receives() + sends()

    def wait(self):
        for work in self.works:
            work.wait()
        return self.next


class RingAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        out, total, most = torch.zeros_like(q), q.new_zeros(q.shape[:-1] + (1,)), q.new_full(q.shape[:-1] + (1,), -1e30)
        here = [k, v]
        for turn in range(world):
            sent = Turn(here) if turn < world - 1 else None
            scores = q @ here[0].transpose(-1, -2) / q.shape[-1] ** 0.5
            new = torch.maximum(most, scores.amax(-1, keepdim=True))
            part, keep = (scores - new).exp(), (most - new).exp()
            out, total, most = out * keep + part @ here[1], total * keep + part.sum(-1, keepdim=True), new
            here = sent.wait() if sent else here
        out = out / total
        ctx.save_for_backward(q, k, v, out, most + total.log())
        return out

    @staticmethod
    def backward(ctx, grad):
        q, k, v, out, sums = ctx.saved_tensors
        scale, grad_q, here = q.shape[-1] ** -0.5, torch.zeros_like(q), [k, v]
        grads, weight = [torch.zeros_like(k), torch.zeros_like(v)], (grad * out).sum(-1, keepdim=True)
        for turn in range(world):
            sent = Turn(here) if turn < world - 1 else None
            part = (q @ here[0].transpose(-1, -2) * scale - sums).exp()
            slope = part * (grad @ here[1].transpose(-1, -2) - weight) * scale
            grad_q = grad_q + slope @ here[0]
            grads = [grads[0] + slope.transpose(-1, -2) @ q, grads[1] + part.transpose(-1, -2) @ grad]
            here = sent.wait() if sent else here
            grads = Turn(grads).wait()  # after as many turns as ranks they are where their keys are
        return grad_q, *grads


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.qkv, self.out = nn.LayerNorm(o.hidden), nn.Linear(o.hidden, 3 * o.hidden), nn.Linear(o.hidden, o.hidden)
        self.norm2, self.mlp = nn.LayerNorm(o.hidden), nn.Sequential(nn.Linear(o.hidden, 4 * o.hidden), nn.GELU(), nn.Linear(4 * o.hidden, o.hidden))

    def forward(self, x):
        b, s, h = x.shape
        q, k, v = (t.reshape(b, s, o.heads, -1).transpose(1, 2) for t in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(RingAttention.apply(q, k, v).transpose(1, 2).reshape(b, s, h))
        return x + self.mlp(self.norm2(x))


torch.manual_seed(1)
model = nn.Sequential(*[Layer() for _ in range(o.layers)])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    torch.manual_seed(rank)
    loss = model(torch.randn(o.batch, o.sequence // world, o.hidden)).square().mean()
    loss.backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    print(f"loss {loss.item():.6f}")
