"""Which kernel scaled_dot_product_attention takes on a GPU: the conditions of PyTorch 2.6 (aten/src/ATen/native/transformers/cuda/sdp_utils.cpp).

PyTorch asks a part of its CUDA build which one to take, and takes the plain one where that was not built.
"""
import torch

MATH, FLASH, EFFICIENT = 0, 1, 2  # at::SDPBackend
HALVES = (torch.float16, torch.bfloat16)


def choose(query, key, value, mask=None, dropout=0.0, causal=False, *, scale=None, enable_gqa=False):
    """The first of flash, memory-efficient and plain that is enabled and takes these tensors."""
    if query.dim() != 4 or any(t.stride(-1) != 1 or 0 in t.shape for t in (query, key, value)):
        return MATH
    capability = torch.cuda.get_device_capability()
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
    return torch.ops.aten._scaled_dot_product_efficient_attention(query, key, value, attn_mask, keeps, dropout_p, is_causal, scale=scale)[0]
