import std.models.gpt, std.ops.nn, std.gpus.nvidia, std.schedules.gpipe

cluster flat(gpus: Int, switches: Int) {
  device gpu[gpus]: a100_sxm_80g
  switch spare[switches]
}

cluster each_to_each(gpus: Int) {
  device gpu[gpus]: a100_sxm_80g
  link gpu[*] <-> gpu[*] { bandwidth = 1 GB/s }
}

plan sized(gpus: Int = 1, dp: Int = 1, m: Int = 1, switches: Int = 1) {
  model = gpt(layers: 1, hidden: 64, heads: 1, vocab: 100, seq: 16)
  cluster = flat(gpus, switches)
  mesh = { dp, pp: 1 }
  schedule = gpipe(p: pp, m: m)
  costs = [roofline(a100_sxm_80g)]
}

plan linked(gpus: Int = 1) {
  model = gpt(layers: 1, hidden: 64, heads: 1, vocab: 100, seq: 16)
  cluster = each_to_each(gpus)
  mesh = { dp: 1 }
  costs = [roofline(a100_sxm_80g)]
}

plan unscheduled(micro_batches: Int = 1) {
  model = gpt(layers: 1, hidden: 64, heads: 1, vocab: 100, seq: 16)
  cluster = flat(1, 1)
  mesh = { dp: 1 }
  batch = { micro: 1, global: micro_batches }
  costs = [roofline(a100_sxm_80g)]
}

model deep(layers: Int) {
  x = input([batch, 8])
  repeat layers as layer {
    x = linear(x, out: 8) as l
  }
}

schedule chunked(p: Axis, v: Int) {
  stages p
  chunks v
  at r in 0..p {
    for c in 0..v { F(0, c) }
    for c in 0..v { B(0, v - 1 - c) }
  }
}

plan chunks(v: Int = 1) {
  model = deep(layers: v)
  cluster = flat(1, 1)
  mesh = { pp: 1 }
  schedule = chunked(p: pp, v: v)
  costs = [roofline(a100_sxm_80g)]
}

plan listed(elements: Int = 1) {
  model = deep(layers: len([i for i in 0..elements]) / elements)
  cluster = flat(1, 1)
  mesh = { pp: 1 }
  costs = [roofline(a100_sxm_80g)]
}
