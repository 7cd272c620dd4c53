// ResNet (He et al., arXiv 1512.03385), by the number of blocks of each of the four stages. The
// stride of a bottleneck is at its 3 x 3 convolution, as torchvision has it.
import std.ops.nn

block conv_bn(x: Tensor, out: Int, kernel_size: Int, stride: Int = 1, padding: Int = 0) {
  c = conv2d(x, out: out, kernel_size: kernel_size, stride: stride, padding: padding) as conv
  yield batch_norm(c) as bn
}

block bottleneck(x: Tensor, width: Int, stride: Int, project: Bool) {
  let out = 4 * width
  shortcut = x
  if project {
    shortcut = conv_bn(x, out: out, kernel_size: 1, stride: stride) as shortcut
  }
  a = conv_bn(x, out: width, kernel_size: 1) as a
  ra = relu(a) as a_relu
  b = conv_bn(ra, out: width, kernel_size: 3, stride: stride, padding: 1) as b
  rb = relu(b) as b_relu
  c = conv_bn(rb, out: out, kernel_size: 1) as c
  s = add(c, shortcut) as add
  yield relu(s) as relu
}

// Two 3 x 3 convolutions: the block of ResNet-18 and ResNet-34.
block basic_block(x: Tensor, width: Int, stride: Int, project: Bool) {
  shortcut = x
  if project {
    shortcut = conv_bn(x, out: width, kernel_size: 1, stride: stride) as shortcut
  }
  a = conv_bn(x, out: width, kernel_size: 3, stride: stride, padding: 1) as a
  ra = relu(a) as a_relu
  b = conv_bn(ra, out: width, kernel_size: 3, padding: 1) as b
  s = add(b, shortcut) as add
  yield relu(s) as relu
}

block resnet_stage(x: Tensor, blocks: Int, width: Int, stride: Int, basic: Bool) {
  if basic {
    x = basic_block(x, width, stride, stride > 1) as first
  } else {
    x = bottleneck(x, width, stride, true) as first
  }
  repeat blocks - 1 as block {
    if basic {
      x = basic_block(x, width, 1, false)
    } else {
      x = bottleneck(x, width, 1, false)
    }
  }
  yield x
}

model resnet(blocks: List[Int] = [3, 4, 6, 3], classes: Int = 1000, image: Int = 224, basic: Bool = false) {
  require len(blocks) == 4 and min(blocks) >= 1, "each of the four stages has one block or more"
  require min(classes, image) >= 1, "counts and widths are 1 or more"
  x = images(batch, [3, image, image]) as images
  x = conv_bn(x, out: 64, kernel_size: 7, stride: 2, padding: 3) as stem
  x = relu(x) as stem_relu
  x = max_pool(x, kernel_size: 3, stride: 2, padding: 1) as stem_pool
  x = resnet_stage(x, blocks[0], 64, 1, basic) as stage1
  x = resnet_stage(x, blocks[1], 128, 2, basic) as stage2
  x = resnet_stage(x, blocks[2], 256, 2, basic) as stage3
  x = resnet_stage(x, blocks[3], 512, 2, basic) as stage4
  p = global_average_pool(x) as pool
  logits = linear(p, out: classes, bias: true) as fc
  loss = cross_entropy(logits) as loss
}

fn resnet18(image: Int = 224) -> Model = resnet([2, 2, 2, 2], image: image, basic: true)
fn resnet34(image: Int = 224) -> Model = resnet([3, 4, 6, 3], image: image, basic: true)
fn resnet50(image: Int = 224) -> Model = resnet([3, 4, 6, 3], image: image)
fn resnet101(image: Int = 224) -> Model = resnet([3, 4, 23, 3], image: image)
fn resnet152(image: Int = 224) -> Model = resnet([3, 8, 36, 3], image: image)
