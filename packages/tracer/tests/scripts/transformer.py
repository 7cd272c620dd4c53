"""A layer made of transformer_engine's modules, tensor and sequence parallel over all ranks: attention, then an MLP. `--fp8`: products in 8 bits."""
import argparse

import torch
import torch.distributed as dist
import transformer_engine.pytorch as te
from transformer_engine.common.recipe import DelayedScaling, Format

p = argparse.ArgumentParser()
p.add_argument("--fp8", action="store_true")
p.add_argument("--norm", default="RMSNorm")
o = p.parse_args()

dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
ranks = dist.get_world_size()
SEQUENCE, BATCH, HIDDEN, HEADS, INNER = 64, 2, 64, 4, 256
divided = dict(tp_group=dist.group.WORLD, tp_size=ranks, sequence_parallel=True, params_dtype=torch.bfloat16)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = te.LayerNormLinear(HIDDEN, 3 * HIDDEN, bias=False, normalization=o.norm, parallel_mode="column", **divided)
        self.core = te.DotProductAttention(HEADS, HIDDEN // HEADS, attn_mask_type="causal")
        self.out = te.Linear(HIDDEN, HIDDEN, bias=False, parallel_mode="row", **divided)
        self.mlp = te.LayerNormMLP(HIDDEN, INNER, bias=False, normalization=o.norm, activation="swiglu", set_parallel_mode=True, **divided)

    def forward(self, x):
        q, k, v = self.qkv(x).view(SEQUENCE, BATCH, HEADS // ranks, -1).chunk(3, -1)
        x = x + self.out(self.core(q, k, v))
        return x + self.mlp(x)


layer = Layer()
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for _ in range(2):
    x = torch.ones(SEQUENCE // ranks, BATCH, HIDDEN, dtype=torch.bfloat16, device="cuda", requires_grad=True)
    with te.fp8_autocast(enabled=o.fp8, fp8_recipe=DelayedScaling(fp8_format=Format.HYBRID), fp8_group=dist.group.WORLD):
        y = layer(x)
    y.sum().backward()
    optimizer.step()
