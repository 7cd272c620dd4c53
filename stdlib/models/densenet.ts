// DenseNet (Huang et al., arXiv 1608.06993), by the number of layers of each of the four blocks:
// every layer adds `growth` channels to all before it; between blocks channels and resolution are
// halved.
import std.ops.nn

block dense_layer(x: Tensor, growth: Int) {
  n1 = batch_norm(x) as bn1
  r1 = relu(n1) as relu1
  c1 = conv2d(r1, out: 4 * growth, kernel_size: 1) as conv1
  n2 = batch_norm(c1) as bn2
  r2 = relu(n2) as relu2
  c2 = conv2d(r2, out: growth, kernel_size: 3, padding: 1) as conv2
  yield join_channels(x, c2) as join
}

block transition(x: Tensor) {
  n = batch_norm(x) as bn
  r = relu(n) as relu
  c = conv2d(r, out: div(x.shape[1], 2), kernel_size: 1) as conv
  yield average_pool(c, kernel_size: 2, stride: 2) as pool
}

block dense_block(x: Tensor, layers: Int, growth: Int) {
  repeat layers as layer {
    x = dense_layer(x, growth)
  }
  yield x
}

model densenet(layers: List[Int] = [6, 12, 24, 16], growth: Int = 32, stem: Int = 2 * growth, classes: Int = 1000, image: Int = 224) {
  require len(layers) == 4 and min(layers) >= 1, "each of the four blocks has one layer or more"
  require min(growth, stem, classes, image) >= 1, "counts and widths are 1 or more"
  x = images(batch, [3, image, image]) as images
  x = conv2d(x, out: stem, kernel_size: 7, stride: 2, padding: 3) as stem
  x = batch_norm(x) as stem_bn
  x = relu(x) as stem_relu
  x = max_pool(x, kernel_size: 3, stride: 2, padding: 1) as stem_pool
  x = dense_block(x, layers[0], growth) as block1
  x = transition(x) as transition1
  x = dense_block(x, layers[1], growth) as block2
  x = transition(x) as transition2
  x = dense_block(x, layers[2], growth) as block3
  x = transition(x) as transition3
  x = dense_block(x, layers[3], growth) as block4
  n = batch_norm(x) as final_bn
  r = relu(n) as final_relu
  p = global_average_pool(r) as pool
  logits = linear(p, out: classes, bias: true) as fc
  loss = cross_entropy(logits) as loss
}

fn densenet121(image: Int = 224) -> Model = densenet([6, 12, 24, 16], image: image)
fn densenet161(image: Int = 224) -> Model = densenet([6, 12, 36, 24], growth: 48, image: image)
fn densenet169(image: Int = 224) -> Model = densenet([6, 12, 32, 32], image: image)
fn densenet201(image: Int = 224) -> Model = densenet([6, 12, 48, 32], image: image)
