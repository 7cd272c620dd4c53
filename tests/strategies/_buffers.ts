// Messages of 1 GiB, four micro-batches: a profile with buffers holds 2 x 4 GiB besides where there
// are stages.
import std.ops.nn, std.frameworks.profile, std.frameworks.torch, std.frameworks.nvidia, std.gpus.blackwell, std.clusters.dgx, std.precision
import std.schedules.one_f_one_b

model four() {
  ids = input([batch, 1024], int64)
  x = embedding(ids, 1000, 512) as embed
  repeat 4 as layer {
    x = linear(x, out: 512) as product
  }
}

plan buffers(framework: Framework = torchtitan, pp: Int = 2) {
  model = four()
  cluster = nvswitch_nodes(1, kind: b200_sxm, gpus: 2, nvlink: 900 GB/s, nic: 400 Gb/s)
  mesh = { pp }
  schedule = one_f_one_b(p: pp, m: 4)
  memory = framework_memory(framework, pp, 4, 1 GiB)
  precision = mixed(bf16)
  costs = roofline(b200_sxm)
}
