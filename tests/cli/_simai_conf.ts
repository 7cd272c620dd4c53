import std.models.gpt, std.clusters.spines, std.gpus.nvidia, std.strategies.data, std.import.simai

plan simai_conf(dp: Int = 16, file: String = "a.conf", nic: Rate = 400 Gb/s) {
  model = gpt(layers: 2, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = hpn(4, kind: h100_sxm)
  mesh = { dp }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
  network = [simai_packets(file, nic: nic)]
}
