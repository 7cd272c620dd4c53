// A small Llama on one node, for tests of strategies: 8 layers, so that volumes and memory can be worked out by hand.
import std.models.llama, std.clusters.dgx, std.optimizers.adam, std.precision, std.schedules.single

let layers = 8
let hidden = 1024
let ffn = 4096
let vocab = 32000
let seq = 1024
