// Traced tables in TrainSpec's own words: kinds are names of ops, weights stand under `parameters`,
// times are of the device alone. See doc/traces.md.
import std.ops.nn, std.import.ops

fn _shape(row: Record) -> List[Int] = row.output
fn _follow(row: Record) -> List[Any] = row.follow
fn _whole(row: Record) -> List[Int] = row.inputs[0]
fn _copies(row: Record) -> Bool = row.forward
fn _copies_back(row: Record) -> Bool = row.backward
fn _last(row: Record) -> Int = last(row.output)
fn _channels(row: Record) -> Int = row.output[1]
fn _rows(row: Record) -> Int = row.weights[0][0]
fn _bias(row: Record) -> Bool = len(row.weights) > 1
fn _kernel(row: Record) -> Int = row.weights[0][2]
fn _stride(row: Record) -> Int = round(row.inputs[0][2] / real(row.output[2]))
fn _padding(row: Record) -> Int = div(row.weights[0][2], 2)

// `tied`: the head uses the table of the embedding. `sums`: times of the backward hold the sums of
// gradients of tensors used twice.
fn plain(tied: Bool = false, sums: Bool = false) = {
  sums: sums,
  given: "input",
  optimizer: "optimizer",
  ops: [
    { kind: if tied then "head" else "", op: tied_linear, args: { out: _last } },
    { kind: "linear|head", op: linear, args: { out: _last, bias: _bias } },
    { kind: "embedding", op: embedding, args: { vocab: _rows, hidden: _last } },
    { kind: "position_embedding", op: position_embedding, args: { seq: _rows } },
    { kind: "layernorm", op: layernorm },
    { kind: "dropout", op: dropout },
    { kind: "gelu", op: gelu },
    { kind: "gelu_by_parts", op: gelu_by_parts },
    { kind: "relu", op: relu },
    { kind: "softmax", op: softmax },
    { kind: "matmul", op: batched_matmul },
    {
      kind: "conv",
      op: conv2d,
      args: { out: _channels, kernel_size: _kernel, stride: _stride, padding: _padding, bias: _bias },
    },
    { kind: "batch_norm", op: batch_norm },
    { kind: "pool", op: pool, args: { shape: _shape } },
    { kind: "cross_entropy", op: mean_cross_entropy },
    { kind: "add", op: add },
    { kind: "sum", op: sum_of_tensors },
    { kind: "scale", op: scaled },
    { kind: "pointwise", op: pointwise },
    {
      kind: "move",
      op: moved,
      args: { shape: _shape, follow: _follow, whole: _whole, copies: _copies, copies_back: _copies_back },
    },
  ],
}
