// Operators of PyTorch (aten), as execution graphs of ranks record them: which are which ops, with
// arguments from the tensors that they took and gave. The default of graph(...): see doc/traces.md.
//
// What multiplies has the family and the features that std.ops.nn gives it, so that fits and tables
// know it; all else moves bytes. Graphs hold no arguments but tensors: `causal` says whether
// attention has a causal mask where queries meet as many keys.
import std.ops.nn, std.import.ops

// Tensors read and written once.
op streamed(xs: List[Tensor], ys: List[Tensor]) {
  forward { kernel elementwise { dtype = _first(xs, ys).dtype, reads = xs, writes = ys } }
}
fn _first(xs: List[Tensor], ys: List[Tensor]) -> Tensor = if len(xs) > 0 then xs[0] else ys[0]

// Filled: nothing is read.
op filled(ys: List[Tensor]) {
  forward { kernel elementwise { dtype = ys[0].dtype, writes = ys } }
}

// Rows or elements taken out of a table, or put into one: of the table only those move. `by` are
// their numbers.
op picked(by: List[Tensor], moved: List[Tensor]) {
  forward { kernel elementwise { dtype = moved[0].dtype, reads = [by, moved], writes = moved } }
}

// One kernel updates parameters and two moments from gradients, which it leaves as they are.
op updated(xs: List[Tensor]) {
  forward { kernel elementwise { dtype = xs[0].dtype, reads = xs, writes = [0.75 * sum([bytes(x) for x in xs])] } }
}

// A convolution in any number of dimensions, w[out, in / groups, taps...], as the product that it is;
// families and features are those of conv2d, and `count` for groups.
op convolved(x: Tensor, w: Tensor, y: Tensor) {
  let groups = div(x.shape[1], w.shape[1])
  let out = div(w.shape[0], groups)
  let positions = div(numel(y), y.shape[1])
  let taps = div(numel(w), w.shape[0])
  let work = 2 * numel(y) * taps
  require len(x.shape) >= 3 and len(w.shape) == len(x.shape) and len(y.shape) == len(x.shape), "samples, channels and space"
  require x.shape[1] % w.shape[1] == 0 and w.shape[0] % groups == 0, "groups of channels are of equal size"
  forward {
    kernel conv if groups == 1 { m = positions, n = out, k = taps, flops = work, reads = [x, w], writes = [y] }
    kernel conv if groups > 1 { m = positions, n = out, k = taps, count = groups, flops = work, reads = [x, w], writes = [y] }
  }
  backward(input) {
    kernel conv if groups == 1 { m = positions, n = taps, k = out, flops = work, reads = [y, w], writes = [x] }
    kernel conv if groups > 1 { m = positions, n = taps, k = out, count = groups, flops = work, reads = [y, w], writes = [x] }
  }
  backward(weight) {
    kernel conv if groups == 1 { m = out, n = taps, k = positions, flops = work, reads = [y, x], writes = [w] }
    kernel conv if groups > 1 { m = out, n = taps, k = positions, count = groups, flops = work, reads = [y, x], writes = [w] }
  }
}

fn _in(row: Record) -> List[Tensor] = row.inputs
fn _out(row: Record) -> List[Tensor] = row.outputs
fn _input(row: Record) -> Tensor = row.inputs[0]
fn _second(row: Record) -> Tensor = row.inputs[1]
fn _third(row: Record) -> Tensor = row.inputs[2]
fn _given(row: Record) -> Tensor = row.outputs[0]
fn _behind_first(row: Record) -> List[Tensor] = [row.inputs[i] for i in 1..len(row.inputs)]
fn _gives(row: Record) -> Bool = len(row.outputs) > 0
fn _takes_two(row: Record) -> Bool = len(row.inputs) > 1 and len(row.outputs) > 0
fn _takes_and_gives(row: Record) -> Bool = len(row.inputs) > 0 and len(row.outputs) > 0

fn _columns(row: Record) -> Int = last(row.outputs[0].shape)
fn _is_product(row: Record) -> Bool = if _takes_two(row) then len(row.inputs[0].shape) >= 2 and len(row.outputs[0].shape) >= 2 else false
fn _is_vector(row: Record) -> Bool = if _takes_two(row) then len(row.inputs[0].shape) == 2 else false
fn _is_added(row: Record) -> Bool = if len(row.inputs) >= 3 and len(row.outputs) > 0 then len(row.inputs[1].shape) == 2 and len(row.outputs[0].shape) == 2 else false
fn _is_batch(row: Record) -> Bool = if _takes_two(row) then len(row.inputs[0].shape) == 3 and len(row.inputs[1].shape) == 3 else false
fn _is_added_batch(row: Record) -> Bool = if len(row.inputs) >= 3 then len(row.inputs[1].shape) == 3 and len(row.inputs[2].shape) == 3 else false

// Attention takes queries, keys and values apart: [batch, heads, sequence, width], or with heads
// behind the sequence. The backward has the gradient before them, and the output behind.
fn _at(row: Record) -> Int = if len(row.inputs) >= 6 then 1 else 0
fn _heads_last(row: Record) -> Bool = any([row.name == n for n in ["aten::_flash_attention_forward", "aten::_flash_attention_backward", "aten::_efficient_attention_forward", "aten::_efficient_attention_backward"]])
fn _heads_dim(row: Record) -> Int = if _heads_last(row) then 2 else 1
fn _q(row: Record) -> Tensor = row.inputs[_at(row)]
fn _k(row: Record) -> Tensor = row.inputs[_at(row) + 1]
fn _v(row: Record) -> Tensor = row.inputs[_at(row) + 2]
fn _heads(row: Record) -> Int = _q(row).shape[_heads_dim(row)]
fn _kv_heads(row: Record) -> Int = _k(row).shape[_heads_dim(row)]
fn _length(x: Tensor, row: Record) -> Int = x.shape[3 - _heads_dim(row)]
fn _head_dim(row: Record) -> Int = last(_q(row).shape)
fn _value_dim(row: Record) -> Int = last(_v(row).shape)
fn _is_attention(row: Record) -> Bool = if len(row.inputs) < _at(row) + 3 then false else all([len(row.inputs[_at(row) + i].shape) == 4 for i in 0..3])
fn _is_self(row: Record) -> Bool = if not _is_attention(row) then false else _length(_q(row), row) == _length(_k(row), row) and _head_dim(row) == _value_dim(row)
fn _packed(row: Record) -> Tensor = input([_q(row).shape[0], _length(_q(row), row), (_heads(row) + 2 * _kv_heads(row)) * _head_dim(row)], _q(row).dtype)
fn _queries(row: Record) -> Tensor = input([_q(row).shape[0], _length(_q(row), row), _heads(row) * _head_dim(row)], _q(row).dtype)
fn _pairs(row: Record) -> Tensor = input([_k(row).shape[0], _length(_k(row), row), _kv_heads(row) * (_head_dim(row) + _value_dim(row))], _k(row).dtype)
fn _pass(row: Record) -> String = if _at(row) == 1 then "backward" else "forward"

// The backward of a convolution takes gradient, input and weights, and gives the gradients that are
// needed.
fn _is_convolution(row: Record) -> Bool = if _takes_two(row) then len(row.inputs[0].shape) >= 3 and len(row.inputs[1].shape) == len(row.inputs[0].shape) else false
fn _is_convolution_back(row: Record) -> Bool = if len(row.inputs) >= 3 and len(row.outputs) > 0 then len(row.inputs[0].shape) >= 3 and len(row.inputs[1].shape) == len(row.inputs[0].shape) and len(row.inputs[2].shape) == len(row.inputs[0].shape) else false
fn _gradients(row: Record) -> String = if any([y.shape == row.inputs[1].shape for y in row.outputs]) and any([y.shape == row.inputs[2].shape for y in row.outputs]) then "backward" else if any([y.shape == row.inputs[2].shape for y in row.outputs]) then "weight" else "input"

// `causal`: attention of queries to as many keys has a causal mask.
fn aten_with(causal: Bool = true) = {
  values: "aten::is_same_size|aten::sym_*|aten::size|aten::item|aten::_has_*|aten::is_*|aten::_nested_*",
  ops: [
    { kind: "aten::mm|aten::linear|aten::matmul|aten::_scaled_mm|aten::_int_mm", when: _is_product, op: linear, args: { x: _input, out: _columns, given: true } },
    { kind: "aten::addmm|aten::addmm_|aten::_addmm_activation", when: _is_added, op: linear, args: { x: _second, out: _columns, given: true } },
    { kind: "aten::mv|aten::dot|aten::vdot", when: _is_vector, op: linear, args: { x: _input, out: 1, given: true } },
    { kind: "aten::bmm", when: _is_batch, op: batched_matmul, args: { a: _input, b: _second } },
    { kind: "aten::baddbmm|aten::baddbmm_", when: _is_added_batch, op: batched_matmul, args: { a: _second, b: _third } },
    {
      kind: "aten::_scaled_dot_product_*|aten::_flash_attention_*|aten::_efficient_attention_*|aten::scaled_dot_product_attention",
      when: _is_self,
      op: attention,
      args: { qkv: _packed, heads: _heads, kv_heads: _kv_heads, head_dim: _head_dim, causal: causal },
      work: _pass,
    },
    {
      kind: "aten::_scaled_dot_product_*|aten::_flash_attention_*|aten::_efficient_attention_*|aten::scaled_dot_product_attention",
      when: _is_attention,
      op: query_attention,
      args: { q: _queries, kv: _pairs, head_dim: _head_dim, v_dim: _value_dim },
      work: _pass,
    },
    {
      kind: "aten::convolution|aten::_convolution|aten::cudnn_convolution|aten::mkldnn_convolution|aten::miopen_convolution|aten::convolution_overrideable|aten::thnn_conv2d|aten::_slow_conv2d_forward|aten::_conv_depthwise2d|aten::conv_depthwise3d|aten::slow_conv3d_forward",
      when: _is_convolution,
      op: convolved,
      args: { x: _input, w: _second, y: _given },
    },
    {
      kind: "aten::convolution_backward|aten::convolution_backward_overrideable",
      when: _is_convolution_back,
      op: convolved,
      args: { x: _second, w: _third, y: _input },
      work: _gradients,
    },
    { kind: "aten::embedding|aten::index_select|aten::gather|aten::index|aten::take|aten::nll_loss_forward|aten::nll_loss2d_forward|aten::_unsafe_index|aten::_embedding_bag", when: _takes_two, op: picked, args: { by: _behind_first, moved: _out } },
    { kind: "aten::index_put|aten::index_put_|aten::_index_put_impl_|aten::_unsafe_index_put|aten::index_add|aten::index_add_|aten::scatter|aten::scatter_|aten::scatter_add|aten::scatter_add_|aten::index_copy|aten::index_copy_|aten::index_fill_|aten::scatter_reduce*", when: _takes_two, op: picked, args: { by: [], moved: _behind_first } },
    { kind: "aten::native_layer_norm_backward|aten::_fused_rms_norm_backward", when: _takes_two, op: layernorm, args: { x: _second }, work: "backward" },
    { kind: "aten::native_batch_norm|aten::cudnn_batch_norm|aten::_batch_norm_with_update|aten::_native_batch_norm_legit|aten::_native_batch_norm_legit_functional|aten::miopen_batch_norm", when: _takes_and_gives, op: batch_norm, args: { x: _input } },
    { kind: "aten::native_batch_norm_backward|aten::cudnn_batch_norm_backward|aten::batch_norm_backward|aten::miopen_batch_norm_backward", when: _takes_two, op: batch_norm, args: { x: _second }, work: "backward" },
    { kind: "aten::_fused_adam*|aten::_fused_sgd*|aten::_fused_adagrad*", when: _gives, op: updated, args: { xs: _in } },
    { kind: "aten::zero_|aten::fill_|aten::zeros|aten::zeros_like|aten::ones|aten::ones_like|aten::full|aten::full_like|aten::new_zeros|aten::new_ones|aten::new_full|aten::arange|aten::randn|aten::randn_like|aten::rand|aten::rand_like|aten::randint|aten::randperm|aten::uniform_|aten::normal_|aten::random_|aten::bernoulli_|aten::exponential_|aten::trunc_normal_|aten::scalar_tensor|aten::eye|aten::linspace|aten::_foreach_zero_|aten::nll_loss_backward|aten::nll_loss2d_backward|aten::slice_backward|aten::select_backward|aten::tril_indices|aten::triu_indices|aten::zero|aten::fill", when: _gives, op: filled, args: { ys: _out } },
    // Adds, products and the like; _foreach_ and in place too.
    { kind: "aten::add|aten::add_|aten::sub|aten::sub_|aten::rsub|aten::mul|aten::mul_|aten::div|aten::div_|aten::addcmul*|aten::addcdiv*|aten::lerp*|aten::pow*|aten::sqrt*|aten::rsqrt*|aten::exp*|aten::log*|aten::neg*|aten::abs*|aten::sign*|aten::reciprocal*|aten::clamp*|aten::where*|aten::masked_fill*|aten::minimum|aten::maximum|aten::sigmoid*|aten::tanh*|aten::relu*|aten::gelu*|aten::silu*|aten::erf*|aten::sin*|aten::cos*|aten::square*|aten::_foreach_*|aten::threshold*|aten::hardtanh*|aten::leaky_relu*|aten::elu*|aten::mish*|aten::softplus*|aten::hardswish*|aten::hardsigmoid*|aten::remainder*|aten::floor*|aten::ceil*|aten::round*|aten::trunc*|aten::bitwise_*", op: streamed, args: { xs: _in, ys: _out } },
    { kind: "aten::eq*|aten::ne|aten::ne_|aten::lt*|aten::le|aten::le_|aten::gt*|aten::ge|aten::ge_|aten::isnan|aten::isinf|aten::isfinite|aten::logical_*|aten::__*|aten::any|aten::all|aten::nan_to_num*|aten::triu*|aten::tril*|aten::polar|aten::complex|aten::view_as_*|aten::_amp_*|aten::_conj*|aten::angle|aten::real|aten::imag|aten::atan*|aten::dropout*|aten::native_dropout*|aten::_fused_dropout*|aten::_masked_scale|aten::glu*|aten::swiglu*|aten::prelu*|aten::_prelu*|aten::log_sigmoid*|aten::rrelu*|aten::celu*|aten::selu*|aten::hypot|aten::fmod*|aten::sgn*|aten::copysign*|aten::xlogy*", op: streamed, args: { xs: _in, ys: _out } },
    // Sums over dimensions, norms, softmax, pools: each tensor goes by once.
    { kind: "aten::sum*|aten::mean*|aten::amax|aten::amin|aten::max|aten::min|aten::prod*|aten::argmax|aten::argmin|aten::var*|aten::std*|aten::norm*|aten::linalg_vector_norm|aten::logsumexp|aten::cumsum*|aten::cumprod*|aten::_softmax*|aten::_log_softmax*|aten::_safe_softmax|aten::_masked_softmax*|aten::native_layer_norm|aten::native_group_norm*|aten::_fused_rms_norm|aten::rms_norm|aten::topk|aten::sort*|aten::argsort*|aten::mse_loss*|aten::binary_cross_entropy*|aten::smooth_l1_loss*|aten::huber_loss*|aten::l1_loss*|aten::kl_div*|aten::soft_margin_loss*|aten::bincount|aten::histc|aten::searchsorted|aten::bucketize|aten::count_nonzero|aten::nonzero|aten::unique*|aten::_unique*|aten::masked_select|aten::median*|aten::mode|aten::kthvalue", op: streamed, args: { xs: _in, ys: _out } },
    { kind: "aten::max_pool*|aten::avg_pool*|aten::adaptive_*|aten::_adaptive_*|aten::upsample_*|aten::_upsample_*|aten::fractional_max_pool*|aten::max_unpool*|aten::grid_sampler*|aten::col2im|aten::im2col|aten::pixel_*|aten::reflection_pad*|aten::replication_pad*|aten::constant_pad*|aten::channel_shuffle", op: streamed, args: { xs: _in, ys: _out } },
    // The gradient of a table is as large as the table.
    { kind: "aten::embedding_dense_backward|aten::embedding_backward|aten::_embedding_bag_dense_backward|aten::index_select_backward|aten::gather_backward", op: streamed, args: { xs: _in, ys: _out } },
    // Copies, casts, and what joins or cuts tensors.
    { kind: "aten::clone|aten::copy_|aten::copy|aten::_to_copy|aten::to|aten::contiguous|aten::cat|aten::stack|aten::roll|aten::flip|aten::repeat*|aten::slice_scatter|aten::select_scatter|aten::as_strided_scatter|aten::diagonal_*|aten::split_with_sizes_copy|aten::_chunk_cat|aten::fsdp*|fsdp::*|aten::_copy_from*|aten::_pin_memory|aten::pin_memory|aten::tile|aten::diag*|aten::expand_copy|aten::view_copy|aten::permute_copy|aten::transpose_copy|aten::t_copy|aten::unfold_*|aten::alias_copy|aten::lift*|aten::resolve_*|aten::_reshape_copy|aten::reshape|aten::set_*|aten::_local_scalar_dense|aten::_efficientzerotensor|aten::one_hot|aten::set_data", op: streamed, args: { xs: _in, ys: _out } },
    { kind: "*", op: streamed, args: { xs: _in, ys: _out }, guessed: true },
  ],
}
let aten = aten_with()
