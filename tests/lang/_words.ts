// Words of the language are names where the grammar does not expect them; line breaks end statements only where nothing is left open.
gpu weight {
  memory = 1 GiB; bandwidth = 100 GB/s
  peak = { fp32: 1 TFLOP/s }
}

cluster switch_(n: Int) { device stage[n]: weight }

op input_(x: Tensor, step: Int) {
  output y: x.shape
  forward { kernel rule { flops = 2 FLOP * numel(y)
    reads = [x], writes = [y], at = step } }
}

model depend(over: Int, sending: Int = 0) {
  let key = over + sending; let protocol = key
  split = input([batch, 4],
    fp32)
  pair = split
  match = input_(pair, step: protocol
    * 2) as place.slot
}

fn by(at: Int, flops: Work) -> Time =
  if at > 3 then 2 us else 1 us

schedule once() { stages 1; at 0 { F(0) B(0) } }

plan plan(param: Int = 2) {
  model = depend(over: param); cluster = switch_(n: 1)
  batch = { micro: 1, global: 1 }
  schedule = once()
  costs = [{ rule: by }]
}
