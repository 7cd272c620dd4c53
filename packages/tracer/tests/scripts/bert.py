"""BERT (Devlin et al. 2019; base unless told), masked words, under autocast and DistributedDataParallel; each layer's activations are worked out again in the backward (--reentrant: as PyTorch did first)."""
import argparse

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

p = argparse.ArgumentParser()
for name, value in (("layers", 12), ("hidden", 768), ("heads", 12), ("vocabulary", 30522), ("positions", 512), ("sequence", 128), ("batch", 4)):
    p.add_argument("--" + name, type=int, default=value)
p.add_argument("--reentrant", action="store_true")
o = p.parse_args()


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        b, s, h = x.shape
        q, k, v = (f(x).view(b, s, self.heads, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        weights = F.dropout(F.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1), 0.1, self.training)
        x = self.norm1(x + F.dropout(self.out((weights @ v).transpose(1, 2).reshape(b, s, h)), 0.1, self.training))
        return self.norm2(x + F.dropout(self.down(F.gelu(self.up(x))), 0.1, self.training))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(o.vocabulary, o.hidden), nn.Embedding(o.positions, o.hidden), nn.Embedding(2, o.hidden)
        self.norm, self.layers = nn.LayerNorm(o.hidden), nn.ModuleList(Layer(o.hidden, o.heads) for _ in range(o.layers))
        self.pooler = nn.Linear(o.hidden, o.hidden)

    def forward(self, words):
        x = self.words(words) + self.places(torch.arange(words.shape[1])) + self.kinds(torch.zeros_like(words))
        x = self.norm(x)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=o.reentrant)
        return x @ self.words.weight.t(), torch.tanh(self.pooler(x[:, 0]))


dist.init_process_group("gloo")
torch.manual_seed(1)
model = nn.parallel.DistributedDataParallel(Bert())
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
for step in range(3):
    words = torch.randint(o.vocabulary, (o.batch, o.sequence))
    with torch.autocast("cpu", torch.bfloat16):
        scores, pooled = model(words)
        loss = F.cross_entropy(scores.flatten(0, 1).float(), words.flatten()) + pooled.float().square().mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
