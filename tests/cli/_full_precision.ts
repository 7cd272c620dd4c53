// ResNet in fp32 on one A100 (PCIe): convolutions and products by the fits of full precision.
import std.models.resnet, std.clusters.dgx, std.precision, std.optimizers.adam

plan full {
  model = resnet50()
  cluster = pcie_node(gpus: 1, kind: a100_pcie_80g)
  batch = { micro: 64 }
  tokens = 1
  precision = full_precision()
  optimizer = sgd()
  costs = [
    fit("std/fits/a100_pcie_conv_fp32.fit.json"),
    fit("std/fits/a100_pcie_fp32.fit.json"),
    fit("std/fits/a100_pcie_elementwise.fit.json"),
    roofline(a100_pcie_80g),
  ]
}
