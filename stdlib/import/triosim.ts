// Tables of TrioSim (Li et al., ISCA 2025): a PyTorch profile of one training iteration by
// top-level operators (aten) and autograd nodes, with a table of tensors. Times are sums of kernel
// durations, so nothing is taken off them. Which autograd node is whose backward stands under
// `backward`.
import std.ops.nn, std.import.ops

fn _shape(row: Record) -> List[Int] = row.output
fn _follow(row: Record) -> List[Any] = row.follow
fn _whole(row: Record) -> List[Int] = row.inputs[0]
fn _out(row: Record) -> Int = row.output[1]
fn _bias(row: Record) -> Bool = len(row.weights) > 1
fn _kernel(row: Record) -> Int = row.weights[0][2]
// A convolution or pool that halves the image has stride 2; padding keeps the rest.
fn _stride(row: Record) -> Int = round(row.inputs[0][2] / real(row.output[2]))
fn _padding(row: Record) -> Int = div(row.weights[0][2], 2)

let triosim = {
  sums: true, // an autograd node's kernels include the sum of the gradients that meet at its output
  // What makes a tensor of nothing that an operator made: the gradient of the loss, and the counters
  // of batches that batch normalisation adds 1 to.
  constants: "aten::ones_like|aten::zeros*|aten::full*|aten::arange|aten::add_",
  ops: [
    {
      kind: "aten::conv2d",
      op: conv2d,
      args: { out: _out, kernel_size: _kernel, stride: _stride, padding: _padding, bias: _bias },
      backward: "*ConvolutionBackward0",
    },
    { kind: "aten::batch_norm", op: batch_norm, backward: "*BatchNormBackward0" },
    { kind: "aten::relu*", op: relu, backward: "*ReluBackward0" },
    { kind: "aten::max_pool2d", op: pool, args: { shape: _shape }, backward: "*MaxPool2DWithIndicesBackward0" },
    { kind: "aten::adaptive_avg_pool2d", op: pool, args: { shape: _shape }, backward: "*MeanBackward1|*AdaptiveAvgPool2DBackward0" },
    { kind: "aten::dropout*", op: dropout, backward: "*DropoutBackward0" },
    { kind: "aten::linear", op: linear, args: { out: _out, bias: _bias }, backward: "*AddmmBackward0" },
    { kind: "aten::cross_entropy_loss", op: mean_cross_entropy, backward: "*NllLossBackward0|*LogSoftmaxBackward0" },
    { kind: "aten::add*", op: add, backward: "*AddBackward0" },
    { kind: "*", op: pointwise },
    { kind: "*", op: opaque, args: { shape: _shape, follow: _follow, whole: _whole } },
  ],
}
