// Operator tables of Hugging Face transformers traced by torch.fx (the layout of NeuSight's
// tables): which kinds of rows are which ops.
//
// Every row was timed alone by a pair of events, between which the GPU also waits for the launch:
// rows that launch nothing (`size`, `getitem`) show how long, 6.5 to 7.5 us on H100 hosts. That
// floor is taken off each row that has a kernel. In a step whose kernels are longer than their
// launches the GPU never waits for it, so the sum of what is left is the step: played with what
// autograd adds (sums of gradients of tensors used twice) the H100 tables of GPT-2 Large, BERT
// Large and OPT-1.3B come within 0.6 to 2.2 % of the measured steps, where the plain sum is off by
// up to 12 % for the smallest batch.
import std.ops.nn, std.import.ops

fn _width(row: Record) -> Int = last(row.output)
fn _shape(row: Record) -> List[Int] = row.output
fn _follow(row: Record) -> List[Any] = row.follow
fn _whole(row: Record) -> List[Int] = row.inputs[0]
fn _copies(row: Record) -> Bool = row.forward
fn _copies_back(row: Record) -> Bool = row.backward
fn _seq(row: Record) -> Int = row.inputs[0][1]
// A table read with its weight as an input; OPT's learned positions.
fn _rows(row: Record) -> Int = if len(row.weights) > 0 then row.weights[0][0] else row.inputs[0][1]
// `addmm` takes its bias as a weight; of a module nothing is said, and all but the head have one.
fn _bias(row: Record) -> Bool = len(row.weights) != 1

// `vocab`: rows of the token table, which the table of operators does not say. `tied`: the head
// uses that table too.
fn torch_fx(vocab: Int, tied: Bool = true) = {
  given: "torch.Tensor",
  ignored: "output",
  floor: "size|getitem|getattr|view|permute|transpose",
  lists: "split|chunk|unbind",
  values: "size|getattr|dim",
  constants: "full|ones|zeros|arange|tensor",
  ops: [
    {
      kind: "view|reshape|permute|transpose|expand|unsqueeze|squeeze|getitem|contiguous|to|type|type_as|long|float|bool|clone|detach",
      op: moved,
      args: { shape: _shape, follow: _follow, whole: _whole, copies: _copies, copies_back: _copies_back },
    },
    { kind: "*.wte|*.embed_tokens|*.word_embeddings", op: embedding, args: { vocab: vocab, hidden: _width } },
    { kind: "*.wpe|*.position_embeddings", op: lookup, args: { rows: _seq, width: _width } },
    { kind: "*.token_type_embeddings", op: lookup, args: { rows: 2, width: _width } },
    { kind: "embedding", op: lookup, args: { rows: _rows, width: _width } },
    { kind: "*.ln_*|*layer_norm|*.LayerNorm", op: layernorm },
    { kind: "addmm", op: linear, args: { out: _width, bias: _bias } },
    { kind: if tied then "lm_head|*.decoder" else "", op: tied_linear, args: { out: _width } },
    { kind: "lm_head", op: linear, args: { out: _width } },
    {
      kind: "*.query|*.key|*.value|*.dense|*_proj|*.fc1|*.fc2|*.decoder|*.seq_relationship|*.linear",
      op: linear,
      args: { out: _width, bias: true },
    },
    { kind: "matmul|bmm", op: batched_matmul },
    { kind: "softmax", op: softmax },
    { kind: "dropout|*drop|*dropout", op: dropout },
    { kind: "gelu|*.activation_fn|*.act", op: gelu },
    { kind: "relu", op: relu },
    { kind: "tanh|sigmoid", op: squashed },
    { kind: "mul|truediv|div", op: scaled },
    { kind: "add|sub|truediv|div|neg|where|masked_fill", op: sum_of_tensors },
    { kind: "*", op: pointwise },
    { kind: "*", op: opaque, args: { shape: _shape, follow: _follow, whole: _whole } },
  ],
  labels: [
    { path: "*.attn.c_attn", label: "attn.qkv" },
    { path: "*.attention.self.query|*.self_attn.q_proj", label: "attn.q.qkv" },
    { path: "*.attention.self.key|*.self_attn.k_proj", label: "attn.k.qkv" },
    { path: "*.attention.self.value|*.self_attn.v_proj", label: "attn.v.qkv" },
    { path: "*.attn.c_proj|*.attention.output.dense|*.self_attn.out_proj", label: "attn.proj" },
    { path: "*.mlp.c_fc|*.intermediate.dense|*.fc1", label: "mlp.up" },
    { path: "*.mlp.c_proj|*.output.dense|*.fc2", label: "mlp.down" },
  ],
}
