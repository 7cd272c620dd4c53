"""A step of an eager model as TorchSim's authors run it (exp_utils.py of mem-run-estimator): CLIP ViT-L/14 at 336 of transformers, ViT-H/14 and ConvNeXt V2 huge of timm, with Adam.

--kind: fp (single precision), mp (autocast in fp16 over it), hp (weights, gradients and moments in fp16); --again: blocks are computed again.
"""
import argparse
import contextlib
import functools

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

p = argparse.ArgumentParser()
p.add_argument("model", choices=("vit", "convnext", "clip"))
p.add_argument("--batch", type=int, default=32)
p.add_argument("--kind", choices=("fp", "mp", "hp"), default="fp")
p.add_argument("--again", action="store_true")
o = p.parse_args()
dtype = torch.float16 if o.kind == "hp" else torch.float32


class Clip(nn.Module):
    """With the contrastive loss of pairs."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model, self.temperature = model, nn.Parameter(torch.tensor(2.65))

    def forward(self, words: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
        out = self.model(input_ids=words, pixel_values=images)
        scale, own = self.temperature.exp(), torch.arange(len(images), device=images.device)
        scores = [a @ b.t() * scale for a, b in ((out.image_embeds, out.text_embeds), (out.text_embeds, out.image_embeds))]
        return sum(F.cross_entropy(s, own) for s in scores) / 2


def clip() -> tuple[nn.Module, torch.optim.Optimizer, str]:
    from transformers import CLIPConfig, CLIPModel
    text = {"hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12, "num_attention_heads": 12, "projection_dim": 768}
    vision = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16, "image_size": 336, "patch_size": 14, "projection_dim": 768}
    model = Clip(CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=768))).to(dtype)
    return model, torch.optim.Adam(model.parameters(), lr=1e-5, weight_decay=0.01), "CLIPEncoderLayer"


def timm_model(name: str, block: str) -> tuple[nn.Module, torch.optim.Optimizer, str]:
    import timm
    import timm.optim
    model = timm.create_model(name, pretrained=False).to(dtype)
    return model, timm.optim.create_optimizer_v2(model, opt="adam"), block


MODELS = {"clip": clip, "vit": functools.partial(timm_model, "vit_huge_patch14_clip_224", "Block"), "convnext": functools.partial(timm_model, "convnextv2_huge", "GlobalResponseNormMlp")}
with torch.device("cuda"):
    model, optimizer, block = MODELS[o.model]()
for module in model.modules() if o.again else ():
    if type(module).__name__ == block:
        module.forward = functools.partial(checkpoint, module.forward, use_reentrant=False, preserve_rng_state=False)
for step in range(2):
    images = torch.randn(o.batch, 3, *((336, 336) if o.model == "clip" else (224, 224)), dtype=dtype, device="cuda")
    with torch.autocast("cuda", torch.float16) if o.kind == "mp" else contextlib.nullcontext():
        if o.model == "clip":
            loss = model(torch.randint(49408, (o.batch, 20), device="cuda"), images)
        else:
            loss = F.cross_entropy(model(images), torch.randint(1000, (o.batch,), device="cuda"))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    del loss, images
