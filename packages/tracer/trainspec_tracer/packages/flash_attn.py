"""flash_attn: attention of (batch, sequence, heads, width) by PyTorch's own operator, the same kernel."""
import torch


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, **_):
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, dropout_p, causal, scale=softmax_scale)[0].transpose(1, 2)


def flash_attn_qkvpacked_func(qkv, *args, **kwargs):
    return flash_attn_func(*qkv.unbind(2), *args, **kwargs)


def flash_attn_kvpacked_func(q, kv, *args, **kwargs):
    return flash_attn_func(q, *kv.unbind(2), *args, **kwargs)
