import std.import.hf, std.clusters.dgx

plan configured(config: String, seq: Int = 256, text: Bool = false) {
  model = hf(config, seq: seq, text: text)
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
}
