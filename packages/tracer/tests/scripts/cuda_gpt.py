"""A GPT as people train one on GPUs: data on the host, pinned, half precision by autocast, dropout, clipped gradients, DDP if torchrun started it. It names cuda and asks for nothing else.

--recompute: activations are computed again; --state: says what torch.cuda knows.
"""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

p = argparse.ArgumentParser()
p.add_argument("--layers", type=int, default=2)
p.add_argument("--hidden", type=int, default=256)
p.add_argument("--heads", type=int, default=4)
p.add_argument("--sequence", type=int, default=128)
p.add_argument("--vocabulary", type=int, default=1024)
p.add_argument("--batch", type=int, default=4)
p.add_argument("--tokens", type=int, default=1 << 20)
p.add_argument("--dtype", default="float16")
p.add_argument("--recompute", action="store_true")
p.add_argument("--state", action="store_true")
o = p.parse_args()


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(o.hidden), nn.LayerNorm(o.hidden)
        self.qkv, self.out = nn.Linear(o.hidden, 3 * o.hidden), nn.Linear(o.hidden, o.hidden)
        self.up, self.down = nn.Linear(o.hidden, 4 * o.hidden), nn.Linear(4 * o.hidden, o.hidden)

    def attend(self, x):
        q, k, v = (t.view(*x.shape[:2], o.heads, -1).transpose(1, 2) for t in self.qkv(x).split(o.hidden, -1))
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.1 if self.training else 0.0)
        else:
            scores = q @ k.transpose(-2, -1) * q.size(-1) ** -0.5
            y = F.dropout(F.softmax(scores, -1), 0.1, self.training) @ v
        return self.out(y.transpose(1, 2).reshape(x.shape))

    def forward(self, x):
        x = x + F.dropout(self.attend(self.norm1(x)), 0.1, self.training)
        return x + F.dropout(self.down(F.gelu(self.up(self.norm2(x)))), 0.1, self.training)


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(o.vocabulary, o.hidden)
        self.blocks = nn.ModuleList(Block() for _ in range(o.layers))
        self.head = nn.Linear(o.hidden, o.vocabulary, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = checkpoint(block, x, **({"use_reentrant": False} if "use_reentrant" in checkpoint.__code__.co_varnames else {})) if o.recompute else block(x)
        return self.head(x)


if not torch.cuda.is_available():
    raise SystemExit("no GPU")
rank = int(os.environ.get("LOCAL_RANK", 0))
device = torch.device("cuda", rank)
torch.cuda.set_device(device)
torch.manual_seed(1)
data = torch.randint(o.vocabulary, (o.tokens,))
model = Gpt().to(device)
parameters = sum(p.numel() for p in model.parameters())
if "RANK" in os.environ:
    dist.init_process_group("nccl")
    model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, **({"fused": True} if torch.__version__ >= "2" else {"foreach": True}))
scaler = torch.cuda.amp.GradScaler(enabled=o.dtype == "float16")
for step in range(3):
    at = torch.randint(o.tokens - o.sequence - 1, (o.batch,))
    x, y = (torch.stack([data[i + shift:i + shift + o.sequence] for i in at.tolist()]).pin_memory().to(device, non_blocking=True) for shift in (0, 1))
    with torch.autocast("cuda", dtype=getattr(torch, o.dtype)):
        logits = model(x)
        loss = F.cross_entropy(logits.view(-1, o.vocabulary), y.view(-1))
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad(set_to_none=True)
    print(f"step {step}: loss {loss.item():.4f}")
torch.cuda.synchronize()
print("parameters", parameters)
if o.state:
    free, total = torch.cuda.mem_get_info()
    print("peak", torch.cuda.max_memory_allocated(), "held", torch.cuda.memory_allocated(), "used", total - free)
    print("device", torch.cuda.get_device_name(), torch.cuda.get_device_capability(), torch.cuda.device_count(), torch.cuda.get_rng_state().numel())
