language 1
import std.clusters.dgx, std.networks, std.gpus.nvidia
plan again(file: String) {
  model = graph(file)
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
  network = h100_infiniband
}
