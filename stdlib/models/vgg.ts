// VGG (Simonyan and Zisserman, arXiv 1409.1556), by the number of convolutions of each of the five
// stages.
import std.ops.nn

block vgg_stage(x: Tensor, convolutions: Int, channels: Int) {
  repeat convolutions as conv {
    c = conv2d(x, out: channels, kernel_size: 3, padding: 1, bias: true) as conv
    x = relu(c) as relu
  }
  yield max_pool(x, kernel_size: 2, stride: 2) as pool
}

model vgg(convolutions: List[Int] = [2, 2, 2, 2, 2], classes: Int = 1000, image: Int = 224) {
  require len(convolutions) == 5 and min(convolutions) >= 1, "each of the five stages has one convolution or more"
  require min(classes, image) >= 1, "counts and widths are 1 or more"
  x = images(batch, [3, image, image]) as images
  x = vgg_stage(x, convolutions[0], 64) as stage1
  x = vgg_stage(x, convolutions[1], 128) as stage2
  x = vgg_stage(x, convolutions[2], 256) as stage3
  x = vgg_stage(x, convolutions[3], 512) as stage4
  x = vgg_stage(x, convolutions[4], 512) as stage5
  f = flatten(x) as flatten
  h1 = linear(f, out: 4096, bias: true) as fc1
  r1 = relu(h1) as fc1_relu
  h2 = linear(r1, out: 4096, bias: true) as fc2
  r2 = relu(h2) as fc2_relu
  logits = linear(r2, out: classes, bias: true) as fc3
  loss = cross_entropy(logits) as loss
}

fn vgg13(image: Int = 224) -> Model = vgg([2, 2, 2, 2, 2], image: image)
fn vgg16(image: Int = 224) -> Model = vgg([2, 2, 3, 3, 3], image: image)
fn vgg19(image: Int = 224) -> Model = vgg([2, 2, 4, 4, 4], image: image)
