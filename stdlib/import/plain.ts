// Traced tables in TrainSpec's own words: kinds are names of ops, weights stand under `parameters`, times are of the device alone. See doc/traces.md.
import std.ops.nn, std.import.ops

fn plain_shape(row: Record) -> List[Int] = row.output
fn plain_follow(row: Record) -> List[Any] = row.follow
fn plain_whole(row: Record) -> List[Int] = row.inputs[0]
fn plain_copies(row: Record) -> Bool = row.forward
fn plain_copies_back(row: Record) -> Bool = row.backward
fn plain_last(row: Record) -> Int = last(row.output)
fn plain_channels(row: Record) -> Int = row.output[1]
fn plain_rows(row: Record) -> Int = row.weights[0][0]
fn plain_bias(row: Record) -> Bool = len(row.weights) > 1
fn plain_kernel(row: Record) -> Int = row.weights[0][2]
fn plain_stride(row: Record) -> Int = round(row.inputs[0][2] / (1.0 * row.output[2]))
fn plain_padding(row: Record) -> Int = div(row.weights[0][2], 2)

// `tied`: the head uses the table of the embedding. `sums`: times of the backward hold the sums of gradients of tensors used twice.
fn plain(tied: Bool = false, sums: Bool = false) = {
  sums: sums,
  given: "input",
  optimizer: "optimizer",
  ops: [
    { kind: if tied then "head" else "", op: tied_linear, args: { out: plain_last } },
    { kind: "linear|head", op: linear, args: { out: plain_last, bias: plain_bias } },
    { kind: "embedding", op: embedding, args: { vocab: plain_rows, hidden: plain_last } },
    { kind: "position_embedding", op: position_embedding, args: { seq: plain_rows } },
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
      args: { out: plain_channels, kernel_size: plain_kernel, stride: plain_stride, padding: plain_padding, bias: plain_bias },
    },
    { kind: "batch_norm", op: batch_norm },
    { kind: "pool", op: pool, args: { shape: plain_shape } },
    { kind: "cross_entropy", op: mean_cross_entropy },
    { kind: "add", op: add },
    { kind: "sum", op: sum_of_tensors },
    { kind: "scale", op: scaled },
    { kind: "pointwise", op: pointwise },
    {
      kind: "move",
      op: moved,
      args: { shape: plain_shape, follow: plain_follow, whole: plain_whole, copies: plain_copies, copies_back: plain_copies_back },
    },
  ],
}
