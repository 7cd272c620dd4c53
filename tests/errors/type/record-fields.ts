// Mistakes in records of declared types, each found where it stands: also in functions that nobody calls.
import std.models.gpt, std.clusters.dgx

record Window {
  width: Int
  stride: Int = width
  parts: List[Part] = []
}

record Part { size: Size = 1 MiB, overlap: Overlap = ring, inside: Window = none, size: Time = 1 s }
record Int { bits: Int }

fn slow_host(launch: Time) -> Host = { launch: launch, mesage: 20 us }
fn formats(wide: Bool) -> Precision = if wide then { compute: fp32 } else { weigths: bf16 }
fn windows() -> List[Window] = [{ width: 3 }, { stride: 4 }, { width: 3, parts: [{ size: 3 us, overlap: own_part }] }]
fn area(w: Window) -> Int = w.width * w.strides
fn unknown(w: Windw) -> Time = slow_host(3 us).lunch
fn inner(w: Window) = w.parts[0].sise
fn update() -> Optimizer = { kernels: [{ familiy: "adam", reads: 8 B }] }

plan small {
  model = gpt(layers: area({ width: 2, stride: 3 }), hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  batch = { micro: windows()[0].width, globl: 2 }
  host = { launch: 6, lauch: 6 us }
}
