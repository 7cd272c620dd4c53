// Tables of TrioSim (Li et al., ISCA 2025): a PyTorch profile of one training iteration by top-level operators (aten) and autograd nodes, with a table of
// tensors. Times are sums of kernel durations, so nothing is taken off them. Which autograd node is whose backward stands under `backward`.
import std.ops.nn, std.import.ops

fn trio_shape(row: Record) -> List[Int] = row.output
fn trio_follow(row: Record) -> List[Any] = row.follow
fn trio_whole(row: Record) -> List[Int] = row.inputs[0]
fn trio_out(row: Record) -> Int = row.output[1]
fn trio_bias(row: Record) -> Bool = len(row.weights) > 1
fn trio_kernel(row: Record) -> Int = row.weights[0][2]
// A convolution or pool that halves the image has stride 2; padding keeps the rest.
fn trio_stride(row: Record) -> Int = round(row.inputs[0][2] / (1.0 * row.output[2]))
fn trio_padding(row: Record) -> Int = div(row.weights[0][2], 2)

let triosim = {
  sums: true, // an autograd node's kernels include the sum of the gradients that meet at its output
  ops: [
    {
      kind: "aten::conv2d",
      op: conv2d,
      args: { out: trio_out, kernel_size: trio_kernel, stride: trio_stride, padding: trio_padding, bias: trio_bias },
      backward: "*ConvolutionBackward0",
    },
    { kind: "aten::batch_norm", op: batch_norm, backward: "*BatchNormBackward0" },
    { kind: "aten::relu*", op: relu, backward: "*ReluBackward0" },
    { kind: "aten::max_pool2d", op: pool, args: { shape: trio_shape }, backward: "*MaxPool2DWithIndicesBackward0" },
    { kind: "aten::adaptive_avg_pool2d", op: pool, args: { shape: trio_shape }, backward: "*MeanBackward1|*AdaptiveAvgPool2DBackward0" },
    { kind: "aten::dropout*", op: dropout, backward: "*DropoutBackward0" },
    { kind: "aten::linear", op: linear, args: { out: trio_out, bias: trio_bias }, backward: "*AddmmBackward0" },
    { kind: "aten::cross_entropy_loss", op: mean_cross_entropy, backward: "*NllLossBackward0|*LogSoftmaxBackward0" },
    { kind: "aten::add*", op: add, backward: "*AddBackward0" },
    { kind: "*", op: pointwise },
    { kind: "*", op: opaque, args: { shape: trio_shape, follow: trio_follow, whole: trio_whole } },
  ],
}
