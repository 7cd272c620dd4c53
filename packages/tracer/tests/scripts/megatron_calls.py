"""What Megatron-LM asks of torch.distributed in a step, in a small model of our own: groups of parallel_state; mappings of tensor and sequence parallelism with asynchronous all-reduces and
reduce-scatters in the backward; a pipeline that tells shapes and passes tensors in batches; gradients in one buffer, reduced in coalesced buckets; the distributed optimizer; norms and losses over groups.
(Narayanan et al. 2021, Korthikanti et al. 2022.)
"""
import argparse
import datetime

import torch
import torch.distributed as dist
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--tp", type=int, default=1)
p.add_argument("--pp", type=int, default=1)
p.add_argument("--micro-batches", type=int, default=4)
o = p.parse_args()
HIDDEN, SEQUENCE, BATCH, VOCABULARY, LAYERS = 32, 16, 2, 64, 2


class Groups:
    """tp innermost, then dp, then pp; all ranks make all groups, in one order."""

    def __init__(self):
        dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=10))
        self.rank, world = dist.get_rank(), dist.get_world_size()
        dp = world // o.tp // o.pp
        grid = torch.arange(world).view(o.pp, dp, o.tp)
        self.tp = self.make(grid.flatten(0, 1))
        self.dp = self.make(grid.transpose(1, 2).flatten(0, 1))
        self.dp_host = self.make(grid.transpose(1, 2).flatten(0, 1), backend="gloo")
        self.pp = self.make(grid.flatten(1).T)
        self.model = self.make(grid.transpose(0, 1).flatten(1))
        self.ends = self.make(grid.flatten(1).T[:, sorted({0, o.pp - 1})])  # embeddings are shared by the first and the last stage
        self.stage = dist.get_rank(self.pp)
        line = dist.get_process_group_ranks(self.pp)
        self.first, self.last = self.stage == 0, self.stage == o.pp - 1
        self.before, self.after = line[self.stage - 1], line[(self.stage + 1) % o.pp]

    def make(self, rows, backend=None):
        mine = None
        for ranks in rows.tolist():
            group = dist.new_group(ranks, backend=backend)
            if self.rank in ranks:
                mine = group
        return mine


class Split(torch.autograd.Function):
    """A linear layer split by columns whose input is split along the sequence: gathered before, its gradient scattered while the weight's is computed."""

    @staticmethod
    def forward(ctx, x, weight, group):
        ctx.save_for_backward(x, weight)
        ctx.group = group
        whole = torch.empty(x.shape[0] * dist.get_world_size(group), *x.shape[1:])
        dist.all_gather_into_tensor(whole, x, group=group)
        return whole @ weight.t()

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        whole = torch.empty(x.shape[0] * dist.get_world_size(ctx.group), *x.shape[1:])
        gathered = dist.all_gather_into_tensor(whole, x, group=ctx.group, async_op=True)
        grad_whole = grad @ weight
        gathered.wait()
        grad_x = torch.empty_like(x)
        scattered = dist.reduce_scatter_tensor(grad_x, grad_whole, group=ctx.group, async_op=True)
        grad_weight = grad.flatten(0, 1).t() @ whole.flatten(0, 1)
        scattered.wait()
        return grad_x, grad_weight, None


class Scatter(torch.autograd.Function):
    """Sums over the group, a part of the sequence to each."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        out = torch.empty(x.shape[0] // dist.get_world_size(group), *x.shape[1:])
        dist._reduce_scatter_base(out, x.contiguous(), group=group)
        return out

    @staticmethod
    def backward(ctx, grad):
        out = torch.empty(grad.shape[0] * dist.get_world_size(ctx.group), *grad.shape[1:])
        dist._all_gather_base(out, grad.contiguous(), group=ctx.group)
        return out, None


class Reduced(torch.autograd.Function):
    """The gradient of a linear layer's input summed over the group, while that of the weight is computed."""

    @staticmethod
    def forward(ctx, x, weight, group):
        ctx.save_for_backward(x, weight)
        ctx.group = group
        return x @ weight.t()

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad_x = (grad @ weight).contiguous()
        work = dist.all_reduce(grad_x, group=ctx.group, async_op=True)
        grad_weight = grad.flatten(0, 1).t() @ x.flatten(0, 1)
        work.wait()
        return grad_x, grad_weight, None


class Stage(torch.nn.Module):
    def __init__(self, g):
        super().__init__()
        self.g, tp = g, dist.get_world_size(g.tp)
        self.words = torch.nn.Parameter(torch.randn(VOCABULARY // tp, HIDDEN)) if g.first or g.last else None
        self.up = torch.nn.ParameterList(torch.nn.Parameter(torch.randn(4 * HIDDEN // tp, HIDDEN) / 8) for _ in range(LAYERS))
        self.down = torch.nn.ParameterList(torch.nn.Parameter(torch.randn(HIDDEN, 4 * HIDDEN // tp) / 8) for _ in range(LAYERS))

    def forward(self, x, target):
        g = self.g
        if g.first:
            part = self.words.shape[0]
            low = dist.get_rank(g.tp) * part
            outside = (x < low) | (x >= low + part)
            x = F.embedding((x - low).masked_fill(outside, 0), self.words).masked_fill(outside[..., None], 0.0)
            x = Scatter.apply(x.transpose(0, 1), g.tp)
        for up, down in zip(self.up, self.down):
            x = x + Scatter.apply(F.gelu(Split.apply(x, up, g.tp)) @ down.t(), g.tp)
        if not g.last:
            return x
        scores = Reduced.apply(Split.apply(x, torch.eye(HIDDEN), g.tp), self.words, g.tp)
        most = scores.detach().max(-1)[0]
        dist.all_reduce(most, op=dist.ReduceOp.MAX, group=g.tp)
        sums = (scores - most[..., None]).exp().sum(-1)
        dist.all_reduce(sums, group=g.tp)
        return (sums.log() + most).mean() - scores.gather(-1, target.t()[..., None] % scores.shape[-1]).mean()


def exchange(g, sources, forward=None, backward=None):
    """Tensors to the stages beside this one and from them, in one batch, shapes before them."""
    def batch(parts):
        works = dist.batch_isend_irecv([dist.P2POp(*part, group=g.pp) for part in parts]) if parts else []
        for work in works:
            work.wait()

    sends = [(dist.isend, t, to) for t, to in ((forward, g.after), (backward, g.before)) if t is not None]
    shapes = [torch.empty(3, dtype=torch.int64) for _ in sources]
    batch([(f, torch.tensor(t.shape), to) for f, t, to in sends] + [(dist.irecv, shape, source) for shape, source in zip(shapes, sources)])
    got = [torch.empty(*shape.tolist()) for shape in shapes]
    batch([(f, t.detach().contiguous(), to) for f, t, to in sends] + [(dist.irecv, t, source) for t, source in zip(got, sources)])
    return got


def data(g):
    """The first of each tensor-parallel group reads, sizes are told before data."""
    root = dist.get_process_group_ranks(g.tp)[0]
    size = torch.tensor([BATCH, SEQUENCE]) if g.rank == root else torch.zeros(2, dtype=torch.int64)
    dist.broadcast(size, root, group=g.tp)
    tokens = torch.randint(VOCABULARY, size.tolist()) if g.rank == root else torch.empty(*size.tolist(), dtype=torch.int64)
    dist.broadcast(tokens, root, group=g.tp)
    return tokens


class Buffer:
    """All gradients in one, by buckets, reduced while the backward goes on; each rank of the data-parallel group steps its part."""

    def __init__(self, g, parameters):
        self.g, self.parameters, self.works, self.hooks = g, parameters, [], []
        self.parts = dist.get_world_size(g.dp)
        length = sum(q.numel() for q in parameters)
        self.grads = torch.zeros(-(-length // (2 * self.parts)) * 2 * self.parts)
        at = 0
        for q in parameters:
            q.main_grad = self.grads[at:at + q.numel()].view(q.shape)
            at += q.numel()
            node = q.expand_as(q).grad_fn.next_functions[0][0]
            node.register_hook(lambda *_, q=q: self.ready(q))
            self.hooks.append(node)
        self.buckets = list(self.grads.chunk(2))
        self.weights = torch.cat([q.detach().reshape(-1) for q in parameters] + [torch.zeros(self.grads.numel() - length)])
        self.mine = [b.chunk(self.parts)[dist.get_rank(g.dp)] for b in self.weights.chunk(2)]
        self.optimizer = torch.optim.AdamW([torch.nn.Parameter(m.clone()) for m in self.mine], lr=1e-3)
        self.last = False

    def ready(self, q):
        q.main_grad.add_(q.grad)
        q.grad = None
        self.waiting.discard(id(q))
        if self.last and not self.waiting:
            with dist._coalescing_manager(self.g.dp, async_ops=True) as many:
                for bucket in self.buckets:
                    dist.reduce_scatter_tensor(bucket.chunk(self.parts)[dist.get_rank(self.g.dp)], bucket, group=self.g.dp, async_op=True)
            self.works.append(many)

    def begin(self, last):
        self.waiting, self.last = {id(q) for q in self.parameters}, last

    def step(self):
        g = self.g
        for work in self.works:
            work.wait()
        self.works.clear()
        owned = self.optimizer.param_groups[0]["params"]
        for q, bucket in zip(owned, self.buckets):
            q.grad = bucket.chunk(self.parts)[dist.get_rank(g.dp)]
        bad = torch.zeros(1)
        dist.all_reduce(bad, op=dist.ReduceOp.MAX, group=g.model)
        norm = sum(q.grad.norm() ** 2 for q in owned)
        dist.all_reduce(norm, group=g.dp)
        dist.all_reduce(norm, group=g.model)
        torch._foreach_mul_([q.grad for q in owned], 0.5)
        self.optimizer.step()
        works = [dist.all_gather_into_tensor(bucket, q.detach(), group=g.dp, async_op=True) for bucket, q in zip(self.weights.chunk(2), owned)]
        for work in works:
            work.wait()
        at = 0
        for q in self.parameters:
            q.data.copy_(self.weights[at:at + q.numel()].view(q.shape))
            at += q.numel()
        self.grads.zero_()


def step(g, stage, buffer):
    """1F1B: warm-up, pairs of a forward and a backward, and the backwards that are left."""
    held, losses = [], []
    warm = min(o.pp - 1 - g.stage, o.micro_batches)

    def receive(backward=None):
        if g.first:
            return None
        given, = exchange(g, [g.before], backward=backward)
        return given.requires_grad_()

    def forward(given):
        tokens = data(g)
        held.append((given, stage(tokens if g.first else given, tokens)))
        return held[-1][1]

    def backward(grad):
        given, out = held.pop(0)
        buffer.begin(not held and len(losses) + 1 == o.micro_batches)
        losses.append(out.detach())
        if g.last:
            (out / o.micro_batches).backward()
        else:
            out.backward(grad)
        return None if g.first else given.grad

    for _ in range(warm):
        exchange(g, [], forward=forward(receive()))
    given = receive() if warm < o.micro_batches else None
    for i in range(o.micro_batches - warm):
        out = forward(given)
        grad = None if g.last else exchange(g, [g.after], forward=out)[0]
        back = backward(grad)
        if i < o.micro_batches - warm - 1:
            given = receive(back)
        elif back is not None:
            exchange(g, [], backward=back)
    for _ in range(warm):
        back = backward(exchange(g, [g.after])[0])
        if back is not None:
            exchange(g, [], backward=back)
    if (g.first or g.last) and o.pp > 1:
        dist.all_reduce(stage.words.main_grad, group=g.ends)
    buffer.step()
    if g.last:
        mean = torch.stack(losses).mean()
        dist.all_reduce(mean, group=g.dp)


groups = Groups()
torch.manual_seed(groups.stage)
names = [None] * dist.get_world_size(groups.dp_host)
dist.all_gather_object(names, {"rank": groups.rank}, group=groups.dp_host)
model = Stage(groups)
for q in model.parameters():
    dist.broadcast(q.data, dist.get_process_group_ranks(groups.dp)[0], group=groups.dp)
dist.barrier()
gradients = Buffer(groups, list(model.parameters()))
for _ in range(2):
    step(groups, model, gradients)
