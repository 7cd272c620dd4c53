import std.models.gpt, std.gpus.nvidia, std.schedules.gpipe

cluster flat(gpus: Int, switches: Int) {
  device gpu[gpus]: a100_sxm_80g
  switch spare[switches]
}

plan sized(gpus: Int = 1, dp: Int = 1, m: Int = 1, switches: Int = 1) {
  model = gpt(layers: 1, hidden: 64, heads: 1, vocab: 100, seq: 16)
  cluster = flat(gpus, switches)
  mesh = { dp, pp: 1 }
  schedule = gpipe(p: pp, m: m)
  costs = [roofline(a100_sxm_80g)]
}
