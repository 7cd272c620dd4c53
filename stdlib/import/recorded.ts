// Tables that `trainspec table --model` makes of recordings: kinds are operators of PyTorch (aten), as
// they reach the device; `tied ...` uses the parameters of an earlier row. Times are of the device.
// Sums of gradients at tensors used twice are in the backward of the operator that made them.
import std.ops.nn, std.import.ops

fn _shape(row: Record) -> List[Int] = row.output
fn _follow(row: Record) -> List[Any] = row.follow
fn _whole(row: Record) -> List[Int] = row.inputs[0]
fn _copies(row: Record) -> Bool = row.forward
fn _copies_back(row: Record) -> Bool = row.backward
fn _last(row: Record) -> Int = last(row.output)
fn _channels(row: Record) -> Int = row.output[1]
fn _rows(row: Record) -> Int = if len(row.weights) > 0 then row.weights[0][0] else 1
fn _bias(row: Record) -> Bool = len(row.weights) > 1
// 1 where there are none: no row without weights has an op with some.
fn _held(row: Record) -> Int = max(1, sum([numel(input(w, fp32)) for w in row.weights]))
fn _is_square(w: List[Int]) -> Bool = if len(w) == 4 then w[2] == w[3] else false
// The largest of the weights: of a convolution the taps, wherever its bias stands.
fn _kernel(row: Record) -> Int = max([if _is_square(w) then w[2] else 1 for w in row.weights] + [1])
fn _stride(row: Record) -> Int = if len(row.inputs[0]) == 4 and len(row.output) == 4
  then max(1, round(row.inputs[0][2] / real(row.output[2]))) else 1
fn _padding(row: Record) -> Int = div(_kernel(row), 2)

// `causal`: attention of queries to as many keys has a causal mask, which tables do not say.
// `modules`: stages are cut between numbered modules (`blocks.3`), as scripts cut them.
fn recorded(causal: Bool = true, modules: Bool = false) = {
  sums: true,
  modules,
  given: "input",
  joined: "aten::unbind|aten::split*|aten::unsafe_split*|aten::chunk|aten::unsafe_chunk|part",
  optimizer: "optimizer",
  constants: "aten::arange|aten::ones*|aten::zeros*|aten::full*|aten::empty*|aten::scalar_tensor|aten::eye|aten::linspace|aten::new_*|aten::tril_indices|aten::triu_indices",
  ops: [
    { kind: "tied *", op: tied_linear, args: { out: _last } },
    {
      kind: "aten::mm|aten::addmm|aten::linear|aten::matmul|aten::_addmm_activation|aten::_scaled_mm|aten::bmm",
      op: linear,
      args: { out: _last, bias: _bias, epilogue: true },
    },
    { kind: "aten::mm|aten::bmm|aten::baddbmm|aten::matmul", op: batched_matmul },
    { kind: "aten::embedding", op: embedding, args: { vocab: _rows, hidden: _last } },
    { kind: "aten::native_layer_norm|aten::layer_norm", op: layernorm },
    { kind: "aten::_fused_rms_norm|aten::rms_norm", op: rmsnorm },
    {
      kind: "aten::convolution|aten::_convolution|aten::cudnn_convolution|aten::mkldnn_convolution|aten::conv2d",
      op: conv2d,
      args: { out: _channels, kernel_size: _kernel, stride: _stride, padding: _padding, bias: _bias },
    },
    { kind: "aten::*batch_norm*", op: batch_norm },
    { kind: "aten::_scaled_dot_product_*|aten::scaled_dot_product_attention", op: separate_attention, args: { causal } },
    {
      kind: "aten::_flash_attention_forward|aten::_efficient_attention_forward",
      op: separate_attention,
      args: { causal, heads_last: true },
    },
    { kind: "aten::gelu|aten::gelu_", op: gelu },
    { kind: "aten::relu|aten::relu_|aten::threshold*|aten::clamp_min*", op: relu },
    { kind: "aten::tanh|aten::sigmoid|aten::tanh_|aten::sigmoid_", op: squashed },
    { kind: "aten::native_dropout|aten::_fused_dropout|aten::dropout*", op: dropout },
    { kind: "aten::_softmax|aten::_log_softmax|aten::_safe_softmax", op: softmax },
    { kind: "aten::nll_loss_forward|aten::nll_loss2d_forward", op: mean_at_target },
    { kind: "aten::cross_entropy_loss", op: mean_cross_entropy },
    { kind: "aten::max_pool2d*|aten::avg_pool2d|aten::adaptive_avg_pool2d|aten::_adaptive_avg_pool2d", op: pool, args: { shape: _shape } },
    { kind: "aten::_to_copy|aten::copy_", op: cast, args: { copies: _copies, copies_back: _copies_back } },
    {
      kind: "aten::view|aten::reshape|aten::_unsafe_view|aten::_reshape_alias|aten::permute|aten::transpose|aten::t|aten::expand|aten::unsqueeze|aten::squeeze|aten::select|aten::slice|aten::split*|aten::chunk|aten::unbind|aten::narrow|aten::alias|aten::detach|aten::clone|aten::contiguous|aten::_to_copy|aten::copy_|aten::as_strided|aten::lift_fresh|aten::unsafe_split*|aten::unsafe_chunk|aten::flatten|part",
      op: moved,
      args: { shape: _shape, follow: _follow, whole: _whole, copies: _copies, copies_back: _copies_back },
    },
    { kind: "aten::add|aten::add_|aten::sub|aten::sub_|aten::neg|aten::masked_fill*|aten::where", op: sum_of_tensors },
    { kind: "aten::div|aten::div_|aten::mul|aten::mul_", op: scaled },
    { kind: "*", op: weighted, args: { held: _held } },
    { kind: "*", op: opaque_weighted, args: { shape: _shape, follow: _follow, whole: _whole, held: _held } },
    { kind: "*", op: pointwise },
    { kind: "*", op: opaque, args: { shape: _shape, follow: _follow, whole: _whole } },
  ],
  labels: [
    { path: "*.c_attn|*.qkv|*.qkv_proj|*.query_key_value|*.linear_qkv|*.in_proj|*.Wqkv", label: "attn.qkv" },
    { path: "*.q_proj|*.query|*.wq|*.to_q", label: "attn.q.qkv" },
    { path: "*.k_proj|*.key|*.wk|*.to_k", label: "attn.k.qkv" },
    { path: "*.v_proj|*.value|*.wv|*.to_v", label: "attn.v.qkv" },
    {
      path: "*.attn.c_proj|*.attention.output.dense|*.self_attn.out_proj|*.o_proj|*.out_proj|*.wo|*.attn.proj|*.attention.dense|*.linear_proj|*.out|*.to_out",
      label: "attn.proj",
    },
    { path: "*.gate_proj|*.w1|*.feed_forward.gate", label: "mlp.gate.up" },
    { path: "*.mlp.c_fc|*.intermediate.dense|*.fc1|*.up_proj|*.w3|*.dense_h_to_4h|*.linear_fc1|*.up|*.mlp.fc_in", label: "mlp.up" },
    { path: "*.mlp.c_proj|*.output.dense|*.fc2|*.down_proj|*.w2|*.dense_4h_to_h|*.linear_fc2|*.down|*.mlp.fc_out", label: "mlp.down" },
    // Losses of tables take whole logits, so strategies find neither head nor embedding by name.
    { path: "head|*.head", label: "logits" },
    { path: "embed|*.embed", label: "words" },
  ],
}
// What `model = graph(...)` of one rank is divided by.
let divided = recorded(modules: true)
