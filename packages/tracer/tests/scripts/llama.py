"""A Llama-like model, small unless told: RMSNorm, rotary positions, grouped heads, SwiGLU. The scripts beside it train it."""
import dataclasses

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclasses.dataclass
class Shape:
    layers: int = 4
    hidden: int = 64
    heads: int = 4
    kv_heads: int = 2
    inner: int = 128
    vocabulary: int = 128
    sequence: int = 32


def add_shape(parser):
    """Options for the sizes of the model; `shape_of` takes what was given."""
    for field in dataclasses.fields(Shape):
        parser.add_argument("--" + field.name.replace("_", "-"), type=int, default=field.default)


def shape_of(options):
    return Shape(**{field.name: getattr(options, field.name) for field in dataclasses.fields(Shape)})


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def reset_parameters(self):
        nn.init.ones_(self.weight)

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * self.weight


def rotate(x):
    """Turns pairs of features of (batch, heads, sequence, width) by angles that grow with the position (Su et al. 2021)."""
    sequence, width = x.shape[-2:]
    speed = 1e4 ** (-torch.arange(0, width, 2, device=x.device) / width)
    angle = torch.outer(torch.arange(sequence, device=x.device), speed)
    a, b = x.chunk(2, -1)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


class Attention(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.width = s.hidden // s.heads
        self.wq = nn.Linear(s.hidden, s.hidden, bias=False)
        self.wk, self.wv = (nn.Linear(s.hidden, s.kv_heads * self.width, bias=False) for _ in range(2))
        self.wo = nn.Linear(s.hidden, s.hidden, bias=False)

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = (w(x).view(b, s, -1, self.width).transpose(1, 2) for w in (self.wq, self.wk, self.wv))  # heads here: those of this rank
        times = q.shape[1] // k.shape[1]
        k, v = (t.repeat_interleave(times, 1) for t in (k, v))
        y = F.scaled_dot_product_attention(rotate(q), rotate(k), v, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(b, s, -1))


class FeedForward(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.gate, self.up = nn.Linear(s.hidden, s.inner, bias=False), nn.Linear(s.hidden, s.inner, bias=False)
        self.down = nn.Linear(s.inner, s.hidden, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.norm1, self.attention = Norm(s.hidden), Attention(s)
        self.norm2, self.mlp = Norm(s.hidden), FeedForward(s)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Llama(nn.Module):
    """Of layers `first` to `last`: a stage of a pipeline has embedding and head only at the ends."""

    def __init__(self, s, first=0, last=None):
        super().__init__()
        last = s.layers if last is None else last
        self.tokens = nn.Embedding(s.vocabulary, s.hidden) if first == 0 else None
        self.blocks = nn.ModuleList(Block(s) for _ in range(first, last))
        self.norm = Norm(s.hidden) if last == s.layers else None
        self.head = nn.Linear(s.hidden, s.vocabulary, bias=False) if last == s.layers else None

    def forward(self, x):
        x = self.tokens(x) if self.tokens is not None else x
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)) if self.head is not None else x


def text(s, batch):
    """Tokens and the tokens that follow them."""
    both = torch.randint(s.vocabulary, (batch, s.sequence + 1))
    return both[:, :-1].contiguous(), both[:, 1:].contiguous()


def loss_of(scores, target):
    return F.cross_entropy(scores.flatten(0, 1).float(), target.flatten())
