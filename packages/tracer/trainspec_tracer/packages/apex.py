"""apex: optimizers and norms as PyTorch has them."""
import torch


class FusedAdam(torch.optim.AdamW):
    def __init__(self, params, lr=1e-3, bias_correction=True, betas=(0.9, 0.999), eps=1e-8, adam_w_mode=True, weight_decay=0.0, **_):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, fused=True)


class FusedSGD(torch.optim.SGD):
    def __init__(self, params, lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, **_):
        super().__init__(params, lr, momentum, dampening, weight_decay, nesterov, foreach=True)


class FusedLayerNorm(torch.nn.LayerNorm):
    pass


MixedFusedLayerNorm = FusedLayerNorm


def fused_layer_norm_affine(input, weight, bias, normalized_shape, eps=1e-6, **_):
    return torch.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)


class FusedLayerNormAffineFunction:
    @staticmethod
    def apply(input, weight, bias, normalized_shape, eps=1e-6, *_):
        return torch.nn.functional.layer_norm(input, normalized_shape, weight, bias, eps)


def multi_tensor_applier(operation, overflow, tensors, *args):
    return operation(2048 * 32, overflow, tensors, *args)
