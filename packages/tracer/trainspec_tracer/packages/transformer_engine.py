"""transformer_engine: its modules as the kernels and collectives that they launch (version 1.13: pytorch/module, pytorch/attention.py, pytorch/fp8.py).

Products, casts and norms have the names of PyTorch's operators for the same work. A bias is added in the product's epilogue, and its gradient is summed there. Not in it: context parallelism, userbuffers, and
offloading of activations.
"""
import contextlib
import dataclasses
import enum
import sys
import types

import torch
import torch.distributed as dist
import torch.nn.functional as F
import torch.utils.checkpoint

from trainspec_tracer.record import Recorder

from .apex import FusedAdam, FusedSGD  # noqa: F401: optimizers of the same kernels

if not hasattr(torch, "float8_e4m3fn"):
    raise ImportError(f"transformer_engine needs PyTorch 2.1, here is {torch.__version__}")

pytorch = common = recipe = attention = distributed = optimizers = cpu_offload = fp8 = module = sys.modules[__name__]  # each has all names
WIDTH = 16  # of a tile in 8 bits: both sizes of an operand are multiples of it


def kernel(name, given, *shapes):
    """One kernel that makes tensors of these (shape, dtype)."""
    with Recorder.current.paused():
        made = [torch.empty(shape, dtype=dtype, device=given[0].device) for shape, dtype in shapes]
    Recorder.current.kernel(name, [t for t in given if t is not None], made)
    return made if len(made) > 1 else made[0]


# ---- formats of 8 bits ----

class Format(enum.Enum):
    E4M3 = (torch.float8_e4m3fn, torch.float8_e4m3fn)
    E5M2 = (torch.float8_e5m2, torch.float8_e5m2)
    HYBRID = (torch.float8_e4m3fn, torch.float8_e5m2)  # forward, backward


@dataclasses.dataclass
class DelayedScaling:
    margin: int = 0
    fp8_format: Format = Format.HYBRID
    amax_history_len: int = 1024
    amax_compute_algo: str = "max"
    override_linear_precision: tuple = (False, False, False)
    scaling_factor_compute_algo: object = None
    reduce_amax: bool = True
    fp8_dpa: bool = False
    fp8_mha: bool = False
    interval: int = 1

    def __init__(self, *args, **given):
        names = [field.name for field in dataclasses.fields(self)]
        for name in names:
            setattr(self, name, getattr(type(self), name))
        for name, value in (*zip(names, args), *given.items()):
            setattr(self, name, value)
        if isinstance(self.fp8_format, str):
            self.fp8_format = Format[self.fp8_format]


class Region:
    """What one fp8_autocast surrounds: greatest values of three tensors of each layer forward and two backward, of which all ranks of the group take the greatest where it ends, and where its backward does."""

    def __init__(self, recipe, group):
        self.recipe, self.layers = recipe, []
        self.group = group if recipe.reduce_amax and dist.is_initialized() and dist.get_world_size(group) > 1 else None

    def share(self, tensors):
        if self.group is not None and self.layers:
            greatest = torch.zeros(tensors * len(self.layers), device=self.layers[0].on)
            dist.all_reduce(greatest, op=dist.ReduceOp.MAX, group=self.group)


_regions = []  # that surround the code; None: one that is not enabled


@contextlib.contextmanager
def fp8_autocast(enabled=True, calibrating=False, fp8_recipe=None, fp8_group=None, _graph=False):
    region = Region(fp8_recipe or DelayedScaling(), fp8_group) if enabled else None
    _regions.append(region)
    try:
        yield
    finally:
        _regions.pop()
    if region and torch.is_grad_enabled() and not any(_regions):
        region.share(3)


@contextlib.contextmanager
def fp8_model_init(enabled=True, **_):
    if enabled:
        raise NotImplementedError("the stand-in for transformer_engine keeps no weights in 8 bits")
    yield


def cast(x, dtype):
    """In 8 bits."""
    return kernel("aten::_to_copy", [x], (x.shape, dtype))


def turned(x):
    """Along columns, as the product of a weight gradient takes it: the tensor cores of Hopper multiply 8 bits in one layout alone."""
    return kernel("aten::clone", [x], (x.shape[::-1], x.dtype))


def cast_and_turned(x, dtype):
    return kernel("aten::_to_copy", [x], (x.shape, dtype), (x.shape[::-1], dtype))


# ---- layers ----

class How(types.SimpleNamespace):
    """group, size, sequence: tensor parallelism; mode: column, row or None; fuse: weight gradients are summed by the product; region: of 8 bits, or None; cache, first: casts of weights, and whether they are made
    anew; owner: the layer."""

    @property
    def gathers(self):
        return self.sequence and self.size > 1

    def gather(self, x):
        whole = torch.empty((x.shape[0] * self.size, *x.shape[1:]), dtype=x.dtype, device=x.device)
        sent, come = (t.view(torch.uint8) if t.element_size() == 1 else t for t in (x.contiguous(), whole))
        return whole, dist.all_gather_into_tensor(come, sent, group=self.group, async_op=True)

    def scatter(self, x):
        part = torch.empty((x.shape[0] // self.size, *x.shape[1:]), dtype=x.dtype, device=x.device)
        return part, dist.reduce_scatter_tensor(part, x.contiguous(), group=self.group, async_op=True)

    def formats(self, x, weight):
        """Of 8 bits, forward and backward, if this product is one of them."""
        fits = self.region is not None and not (x.shape[0] % WIDTH or weight.shape[0] % WIDTH or weight.shape[1] % WIDTH)
        return self.region.recipe.fp8_format.value if fits else None

    def weight(self, weight, dtype):
        """The cast and its other layout: once a step where the layer is told of the first micro-batch."""
        if self.first is not False or id(weight) not in self.cache:
            self.cache[id(weight)] = cast_and_turned(weight.detach(), dtype)
        return self.cache[id(weight)]


class Product(torch.autograd.Function):
    """The product of Linear, LayerNormLinear and LayerNormMLP with what tensor parallelism does around it (pytorch/module/linear.py)."""

    @staticmethod
    def forward(ctx, how, x, weight, bias):
        ctx.how, ctx.shape, ctx.biased = how, x.shape, bias is not None
        x = x.reshape(-1, x.shape[-1])
        ctx.formats = how.formats(x, weight)
        gathers, kept = how.mode == "column" and how.gathers, x
        if ctx.formats:
            x, kept = [cast(x, ctx.formats[0])] * 2 if gathers else cast_and_turned(x, ctx.formats[0])
        if gathers:
            x, work = how.gather(x)
            work.wait()
        ctx.save_for_backward(kept, weight)
        if ctx.formats:
            y = kernel("aten::_scaled_mm", [x, how.weight(weight, ctx.formats[0])[0].t()], ((x.shape[0], weight.shape[0]), weight.dtype))
        else:
            y = torch.mm(x, weight.t()) if bias is None else torch.addmm(bias, x, weight.t())
        if how.mode == "row" and how.size > 1:
            if how.sequence:
                y, work = how.scatter(y)
                work.wait()
            else:
                dist.all_reduce(y, group=how.group)
        return y.view(-1, *ctx.shape[1:-1], y.shape[-1])

    @staticmethod
    def backward(ctx, dy):
        how, (x, weight) = ctx.how, ctx.saved_tensors
        dy, db, dyt, work = dy.reshape(-1, dy.shape[-1]), None, None, None
        if ctx.biased:
            with Recorder.current.paused():
                db = torch.empty(dy.shape[1], dtype=dy.dtype, device=dy.device)
        gathers = how.mode == "row" and how.gathers
        if ctx.formats:
            dy, dyt = (cast(dy, ctx.formats[1]), None) if gathers else cast_and_turned(dy, ctx.formats[1])
        if gathers:
            dy, work = how.gather(dy)
            work.wait()
        if how.mode == "column" and how.gathers and ctx.needs_input_grad[2]:
            x, work = how.gather(x)  # beside the gradient of the input
        if ctx.formats:
            dyt = turned(dy) if gathers else dyt
            dx = kernel("aten::_scaled_mm", [dy, how.weight(weight, ctx.formats[0])[1].t()], ((dy.shape[0], weight.shape[1]), weight.dtype))
        else:
            dyt, dx = dy.t(), torch.mm(dy, weight)
        if work is not None and not gathers:
            work.wait()
            x = turned(x) if ctx.formats else x
        work = None
        if how.mode == "column" and how.size > 1:
            if how.sequence:
                dx, work = how.scatter(dx)
            else:
                work = dist.all_reduce(dx, group=how.group, async_op=True)
        dw = weight_gradient(how, weight, dyt, x.t() if ctx.formats else x) if ctx.needs_input_grad[2] else None
        if work is not None:
            work.wait()
        if how.region and how.region.layers and how.region.layers[0] is how.owner:
            how.region.share(2)
        return None, dx.view(ctx.shape), dw, db


def weight_gradient(how, weight, dyt, x):
    """dy^T x, summed into `main_grad` by the product if it is fused: then what autograd gets is memory that nobody reads."""
    if how.fuse and hasattr(weight, "main_grad"):
        Recorder.current.kernel("aten::addmm_", [weight.main_grad, dyt, x], [weight.main_grad])
        weight.grad_added_to_main_grad = True
        with Recorder.current.paused():
            out = torch.empty_like(weight)
        return out
    return kernel("aten::_scaled_mm", [dyt, x], (weight.shape, weight.dtype)) if x.element_size() == 1 else torch.mm(dyt, x)


class Norm(torch.autograd.Function):
    """RMSNorm in one kernel each way; LayerNorm is PyTorch's own."""

    @staticmethod
    def forward(ctx, x, weight):
        out, scale = kernel("aten::_fused_rms_norm", [x, weight], (x.shape, x.dtype), (x.shape[:-1], torch.float32))
        ctx.save_for_backward(x, weight, scale)
        return out

    @staticmethod
    def backward(ctx, dy):
        x, weight, scale = ctx.saved_tensors
        return tuple(kernel("aten::_fused_rms_norm_backward", [dy, x, scale, weight], (x.shape, x.dtype), (weight.shape, weight.dtype)))


def parameter(owner, shape, make, group_tracker=None, **marks):
    value = torch.nn.Parameter(torch.empty(shape, dtype=owner.dtype, device=owner.on))
    with torch.no_grad(), group_tracker().fork() if group_tracker else contextlib.nullcontext():
        make(value)
    for name, mark in marks.items():
        setattr(value, name, mark)
    return value


def split(dim):
    """How Megatron marks a parameter that tensor parallelism divides."""
    return dict(tensor_model_parallel=True, partition_dim=dim, partition_stride=1)


class TransformerEngineBaseModule(torch.nn.Module):
    def __init__(self, params_dtype=None, device="cuda"):
        super().__init__()
        self.dtype, self.on, self.cache = params_dtype or torch.get_default_dtype(), device, {}

    def divides(self, *, sequence_parallel=False, fuse_wgrad_accumulation=False, tp_group=None, tp_size=1, parallel_mode=None, get_rng_state_tracker=None, init_method=None, rng_tracker_name=None, **other):
        asked = [name for name, value in other.items() if name.startswith("ub_") and name != "ub_name" and value]
        if asked:
            raise NotImplementedError(f"the stand-in for transformer_engine has no userbuffers: {', '.join(asked)}")
        self.tp_group, self.parallel_mode, self.sequence_parallel = tp_group, parallel_mode, sequence_parallel
        self.fuse, self.tracker = fuse_wgrad_accumulation, get_rng_state_tracker if tp_size > 1 or tp_group is not None else None
        self.tp_size = dist.get_world_size(tp_group) if tp_group is not None else tp_size
        self.make = init_method or (lambda weight: torch.nn.init.normal_(weight, 0.0, 0.023))

    def set_tensor_parallel_group(self, group):
        self.tp_group, self.tp_size = group, dist.get_world_size(group) if group is not None else 1

    def how(self, mode=None, first=None):
        region = _regions[-1] if _regions else None
        if region and self not in region.layers:
            region.layers.append(self)
        return How(group=self.tp_group, size=self.tp_size, sequence=self.sequence_parallel, mode=mode, fuse=self.fuse, region=region, cache=self.cache, first=first, owner=self)

    def products(self, name, inner, outer, mode, bias):
        """Weight and bias of this name."""
        inner, outer = (inner // self.tp_size, outer) if mode == "row" else (inner, outer // self.tp_size) if mode == "column" else (inner, outer)
        self.register_parameter(name + "weight", parameter(self, (outer, inner), self.make, self.tracker, **(split(0 if mode == "column" else 1) if mode else {})))
        marks = split(0) if mode == "column" else dict(sequence_parallel=self.sequence_parallel) if mode == "row" else {}
        self.register_parameter(name + "bias", parameter(self, (outer,), torch.nn.init.zeros_, **marks) if bias else None)

    def norms(self, name, width, normalization, eps, zero_centered_gamma=False):
        self.normalization, self.eps = normalization, eps
        start = torch.nn.init.zeros_ if zero_centered_gamma else torch.nn.init.ones_
        self.register_parameter(name + "weight", parameter(self, (width,), start, sequence_parallel=self.sequence_parallel))
        self.register_parameter(name + "bias", parameter(self, (width,), torch.nn.init.zeros_, sequence_parallel=self.sequence_parallel) if normalization == "LayerNorm" else None)

    def normed(self, x, weight, bias):
        return Norm.apply(x, weight) if self.normalization == "RMSNorm" else F.layer_norm(x, weight.shape, weight, bias, self.eps)


class Linear(TransformerEngineBaseModule):
    def __init__(self, in_features, out_features, bias=True, return_bias=False, params_dtype=None, device="cuda", parallel_mode=None, **rest):
        super().__init__(params_dtype, device)
        self.in_features, self.out_features, self.use_bias, self.return_bias = in_features, out_features, bias, return_bias
        self.divides(parallel_mode=parallel_mode, **rest)
        self.products("", in_features, out_features, parallel_mode, bias)

    def forward(self, x, is_first_microbatch=None, **_):
        apart = self.return_bias or (self.parallel_mode == "row" and self.tp_size > 1)  # added after the sum
        y = Product.apply(self.how(self.parallel_mode, is_first_microbatch), x, self.weight, None if apart else self.bias)
        if self.return_bias:
            return y, self.bias
        return y + self.bias if apart and self.bias is not None else y


class LayerNormLinear(Linear):
    def __init__(self, in_features, out_features, eps=1e-5, normalization="LayerNorm", zero_centered_gamma=False, return_layernorm_output=False, **rest):
        super().__init__(in_features, out_features, **rest)
        self.norms("layer_norm_", in_features, normalization, eps, zero_centered_gamma)

    def forward(self, x, is_first_microbatch=None, **_):
        return super().forward(self.normed(x, self.layer_norm_weight, self.layer_norm_bias), is_first_microbatch)


ACTIVATIONS = {"gelu": lambda x: F.gelu(x, approximate="tanh"), "relu": F.relu, "swiglu": lambda x: F.silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1]}


class LayerNormMLP(TransformerEngineBaseModule):
    def __init__(self, hidden_size, ffn_hidden_size, eps=1e-5, bias=True, normalization="LayerNorm", activation="gelu", return_bias=False, params_dtype=None, device="cuda", set_parallel_mode=False,
                 zero_centered_gamma=False, **rest):
        super().__init__(params_dtype, device)
        self.divides(**rest)
        self.modes, self.return_bias, self.activation = ("column", "row") if set_parallel_mode else (None, None), return_bias, ACTIVATIONS[activation]
        self.norms("layer_norm_", hidden_size, normalization, eps, zero_centered_gamma)
        self.products("fc1_", hidden_size, ffn_hidden_size * (2 if activation == "swiglu" else 1), self.modes[0], bias)
        self.products("fc2_", ffn_hidden_size, hidden_size, self.modes[1], bias)

    def forward(self, x, is_first_microbatch=None, **_):
        x = Product.apply(self.how(self.modes[0], is_first_microbatch), self.normed(x, self.layer_norm_weight, self.layer_norm_bias), self.fc1_weight, self.fc1_bias)
        apart = self.return_bias or self.modes[1] and self.tp_size > 1
        y = Product.apply(self.how(self.modes[1], is_first_microbatch), self.activation(x), self.fc2_weight, None if apart else self.fc2_bias)
        if self.return_bias:
            return y, self.fc2_bias
        return y + self.fc2_bias if apart and self.fc2_bias is not None else y


class GroupedLinear(TransformerEngineBaseModule):
    """A product for each expert, of as many rows as `m_splits` says."""

    def __init__(self, num_gemms, in_features, out_features, bias=True, return_bias=False, params_dtype=None, device="cuda", parallel_mode=None, **rest):
        super().__init__(params_dtype, device)
        self.num_gemms, self.use_bias, self.return_bias = num_gemms, bias, return_bias
        self.divides(parallel_mode=None, **rest)
        for i in range(num_gemms):
            self.products("", in_features, out_features, parallel_mode, bias)
            for name in ("weight", "bias"):
                self.register_parameter(f"{name}{i}", getattr(self, name))
        del self.weight, self.bias

    def forward(self, x, m_splits, is_first_microbatch=None):
        biases = [getattr(self, f"bias{i}") for i in range(self.num_gemms)]
        parts = [Product.apply(self.how(None, is_first_microbatch), part, getattr(self, f"weight{i}"), None if self.return_bias else biases[i]) for i, part in enumerate(x.split(list(m_splits)))]
        return (torch.cat(parts), biases if self.use_bias else None) if self.return_bias else torch.cat(parts)


class LayerNorm(TransformerEngineBaseModule):
    def __init__(self, hidden_size, eps=1e-5, sequence_parallel=False, params_dtype=None, zero_centered_gamma=False, device="cuda", normalization="LayerNorm", **_):
        super().__init__(params_dtype, device)
        self.sequence_parallel = sequence_parallel
        self.norms("", hidden_size, normalization, eps, zero_centered_gamma)

    def forward(self, x):
        return self.normed(x, self.weight, self.bias)


class RMSNorm(LayerNorm):
    def __init__(self, hidden_size, eps=1e-5, **rest):
        super().__init__(hidden_size, eps, normalization="RMSNorm", **rest)


# ---- attention ----

class Attention(torch.autograd.Function):
    """cuDNN's fused attention of (batch, heads, sequence, width), whatever order these have in memory. `batch_first`: of the output."""

    @staticmethod
    def forward(ctx, q, k, v, batch_first):
        b, h, s, _ = q.shape
        order = (b, s, h, v.shape[-1]) if batch_first else (s, b, h, v.shape[-1])
        with Recorder.current.paused():
            out, sums = torch.empty(order, dtype=q.dtype, device=q.device), torch.empty((b, h, s, 1), dtype=torch.float32, device=q.device)
        seen = out.permute(0, 2, 1, 3) if batch_first else out.permute(1, 2, 0, 3)
        Recorder.current.kernel("aten::_scaled_dot_product_cudnn_attention", [q, k, v], [seen, sums])
        ctx.batch_first = batch_first
        ctx.save_for_backward(q, k, v, out, sums)
        return out

    @staticmethod
    def backward(ctx, d):
        q, k, v, out, sums = ctx.saved_tensors
        d, out = (t.permute(0, 2, 1, 3) if ctx.batch_first else t.permute(1, 2, 0, 3) for t in (d, out))
        made = kernel("aten::_scaled_dot_product_cudnn_attention_backward", [d, q, k, v, out, sums], *((t.shape, t.dtype) for t in (q, k, v)))
        return *made, None


class DotProductAttention(torch.nn.Module):
    def __init__(self, num_attention_heads, kv_channels, num_gqa_groups=None, attention_dropout=0.0, qkv_format="sbhd", cp_group=None, **_):
        super().__init__()
        self.qkv_format = qkv_format
        self.set_context_parallel_group(cp_group)

    def set_context_parallel_group(self, group, *_):
        if group is not None and dist.get_world_size(group) > 1:
            raise NotImplementedError("the stand-in for transformer_engine has no context parallelism")

    def forward(self, q, k, v, attention_mask=None, qkv_format=None, **_):
        form = qkv_format or self.qkv_format
        if form not in ("sbhd", "bshd"):
            raise NotImplementedError(f"the stand-in for transformer_engine has no attention of packed sequences ({form})")
        order = (0, 2, 1, 3) if form == "bshd" else (1, 2, 0, 3)
        return Attention.apply(*(t.permute(order) for t in (q, k, v)), form == "bshd").flatten(2)


class _SplitAlongDim(torch.autograd.Function):
    """Views forward; the backward writes the parts beside each other."""

    @staticmethod
    def forward(ctx, mixed, dim, sizes, squeeze=False):
        ctx.dim, ctx.squeeze = dim, squeeze
        parts = mixed.split(sizes, dim) if isinstance(sizes, (list, tuple)) else mixed.split(sizes, dim)
        return tuple(part.squeeze(dim) if squeeze else part for part in parts)

    @staticmethod
    def backward(ctx, *gradients):
        return torch.cat([g.unsqueeze(ctx.dim) if ctx.squeeze else g for g in gradients], ctx.dim), None, None, None


class FusedRoPEFunc(torch.autograd.Function):
    """Turns by one kernel each way, recorded as one that goes by its tensors once."""

    @staticmethod
    def forward(ctx, t, freqs, tensor_format="sbhd", *_):
        ctx.save_for_backward(freqs)
        return kernel("aten::mul", [t, freqs], (t.shape, t.dtype))

    @staticmethod
    def backward(ctx, d):
        (freqs,) = ctx.saved_tensors
        return kernel("aten::mul", [d, freqs], (d.shape, d.dtype)), *[None] * 5


# ---- random numbers, recomputation, optimizers ----

class CudaRNGStatesTracker:
    """States of the device's generator by name."""

    def __init__(self):
        self.states_, self.seeds_ = {}, set()

    def reset(self):
        self.states_, self.seeds_ = {}, set()

    def get_states(self):
        return dict(self.states_)

    def set_states(self, states):
        self.states_ = states

    def add(self, name, seed):
        if seed in self.seeds_ or name in self.states_:
            raise ValueError(f"the state {name} or its seed {seed} is there already")
        self.seeds_.add(seed)
        before = torch.cuda.get_rng_state()
        torch.cuda.manual_seed(seed)
        self.states_[name] = torch.cuda.get_rng_state()
        torch.cuda.set_rng_state(before)

    @contextlib.contextmanager
    def fork(self, name="model-parallel-rng"):
        before = torch.cuda.get_rng_state()
        torch.cuda.set_rng_state(self.states_[name])
        try:
            yield
        finally:
            self.states_[name] = torch.cuda.get_rng_state()
            torch.cuda.set_rng_state(before)


def checkpoint(function, *args, distribute_saved_activations=False, get_rng_state_tracker=None, tp_group=None, use_reentrant=True, **kwargs):
    return torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=use_reentrant, **kwargs)


def get_cpu_offload_context(enabled=False, *_, **__):
    if enabled:
        raise NotImplementedError("the stand-in for transformer_engine offloads no activations")
    return contextlib.nullcontext(), lambda x: x


def multi_tensor_applier(op, noop, lists, *args):
    return op(2048 * 32, noop, lists, *args)


def multi_tensor_l2norm(chunk, noop, lists, per_tensor=False):
    norms = torch.stack(torch._foreach_norm(lists[0])).float()
    return norms.norm(), norms if per_tensor else None


def multi_tensor_scale(chunk, noop, lists, scale):
    torch._foreach_copy_(lists[1], torch._foreach_mul(lists[0], scale)) if lists[0] is not lists[1] else torch._foreach_mul_(lists[1], scale)
