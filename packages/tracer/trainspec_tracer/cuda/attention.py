"""Which kernel scaled_dot_product_attention takes on a GPU: the conditions of PyTorch 2.6, and cuDNN's of 2.11 and later (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp).

PyTorch asks a part of its CUDA build which one to take, and takes the plain one where that was not built.
"""
import os

import torch

from .guard import VERSION

MATH, FLASH, EFFICIENT, CUDNN = range(4)  # at::SDPBackend
CUDNN_FIRST = ((9, 0), (10, 0), (10, 3)) if VERSION >= (2, 11) else ()  # 2.11 is the first whose cuDNN is past 9.15, which PyTorch asks for
HALVES = (torch.float16, torch.bfloat16)


def choose(query, key, value, mask=None, dropout=0.0, causal=False, *, scale=None, enable_gqa=False):
    """The first of flash, memory-efficient and plain that is enabled and takes these tensors; before them cuDNN's, where PyTorch prefers it."""
    if query.dim() != 4 or any(t.stride(-1) != 1 or 0 in t.shape for t in (query, key, value)):
        return MATH
    capability = torch.cuda.get_device_capability()
    if (capability in CUDNN_FIRST and os.environ.get("TORCH_CUDNN_SDPA_DEPRIORITIZED") != "1" or not torch.backends.cuda.math_sdp_enabled()) and by_cudnn(query, key, value, dropout, capability):
        return CUDNN
    heads_agree = query.size(-3) == key.size(-3) == value.size(-3)
    flash = (torch.backends.cuda.flash_sdp_enabled() and capability >= (8, 0) and query.dtype in HALVES and mask is None and query.size(-1) <= 256
             and query.size(-1) == key.size(-1) == value.size(-1) and (heads_agree or enable_gqa) and not (causal and query.size(-2) != key.size(-2)))
    if flash:
        return FLASH
    aligned = 16 // query.element_size()
    types = (torch.float32, *HALVES) if capability >= (8, 0) else (torch.float32, torch.float16)
    efficient = (torch.backends.cuda.mem_efficient_sdp_enabled() and query.dtype in types and heads_agree and query.size(-1) == key.size(-1)
                 and query.size(-1) % aligned == 0 and value.size(-1) % aligned == 0)
    return EFFICIENT if efficient else MATH


def by_cudnn(query, key, value, dropout, capability):
    """Whether cuDNN is enabled and takes these tensors."""
    if not hasattr(torch.backends.cuda, "cudnn_sdp_enabled") or not torch.backends.cuda.cudnn_sdp_enabled() or torch.are_deterministic_algorithms_enabled():
        return False
    widths, limit = (query.size(-1), value.size(-1)), 128
    if VERSION >= (2, 11):
        limit = 256 if capability == (9, 0) else 192 if capability[0] == 10 and widths == (192, 128) else 128
    return (capability >= (8, 0) and query.dtype in HALVES and max(widths) <= limit and all(width % 8 == 0 for width in widths)
            and key.size(-2) > 1 and (query.size(-2) > 1 or not dropout))


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    """scaled_dot_product_attention of tensors of the device."""
    choice = choose(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa=enable_gqa)
    if choice == MATH:
        return torch.ops.aten.scaled_dot_product_attention.default.decompose(query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
    width, scale = query.size(-1), query.size(-1) ** -0.5 if scale is None else scale
    if choice == FLASH:
        query, key, value = (torch.nn.functional.pad(t, (0, -width % 8)) if width % 8 else t for t in (query, key, value))
        return torch.ops.aten._scaled_dot_product_flash_attention(query, key, value, dropout_p, is_causal, scale=scale)[0][..., :width]
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=query.dtype).masked_fill_(attn_mask.logical_not(), float("-inf"))
    if attn_mask is not None:
        attn_mask = attn_mask.expand(query.size(0), query.size(1), query.size(2), key.size(2))
    keeps = torch.is_grad_enabled() and any(t.requires_grad for t in (query, key, value))
    if choice == CUDNN:
        return torch.ops.aten._scaled_dot_product_cudnn_attention(query, key, value, attn_mask, keeps, dropout_p, is_causal, False, scale=scale)[0]
    return torch.ops.aten._scaled_dot_product_efficient_attention(query, key, value, attn_mask, keeps, dropout_p, is_causal, scale=scale)[0]
