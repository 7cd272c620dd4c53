// DDP in PyTorch on nodes of eight A100 40 GB: Moye's table 12, table 2, figure 14. All in fp32 (section 8.1); `tensor_cores`:
// convolutions in TF32, as PyTorch has them unless told otherwise. `conv`: share of the peak that they reach.
import std.models.bert, std.models.gpt, std.models.vgg, std.models.resnet, std.clusters.dgx, std.strategies.data, std.optimizers.adam
import std.precision, std.costs.hosts, std.networks, std.costs.sources, std.gpus.nvidia

plan moye_ddp(
  net: String = "bert",
  micro: Int = 8,
  seq: Int = 512,
  nic: Rate = 12.5 Gb/s,
  dp: Int = 128,
  bucket: Size = 25 MiB,
  tensor_cores: Bool = false,
  conv: Real = 0.8,
  machine: Cluster = nvswitch_nodes(dp / 8, kind: a100_sxm_40g, nvlink: 300 GB/s, nic: nic),
) {
  model = if net == "bert_large" then bert_large(seq: seq) else if net == "gpt2" then gpt2_small() else if net == "vgg19" then vgg19(
  ) else resnet152()
  cluster = machine
  mesh = { dp }
  apply = [data_parallel(dp, bucket: bucket)]
  batch = { micro: micro, global: micro * dp }
  precision = if tensor_cores then torch_fp32() else full_precision()
  optimizer = adam()
  costs = [
    fit("std/fits/a100_pcie_fp32.fit.json"),
    fit("std/fits/a100_pcie_elementwise.fit.json"),
    roofline(a100_sxm_40g, flops: conv, bytes: 0.8, floor: 3 us),
  ]
  network = a100_infiniband
  host = eager_torch
  framework = { name: "PyTorch" }
}
