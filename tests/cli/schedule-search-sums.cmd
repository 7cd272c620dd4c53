# Replicas sum gradients at the end of the step, and shard them: the bound knows how long that takes after a stage's last work, the search's times are the engine's, and with --memory=own an order takes what the plan's own takes, and a message (not also what sums hold while they travel).
plan() { cat >"$scratch/$1.ts" <<END
import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.precision, std.costs.sources, std.networks
import std.strategies.data, std.schedules.zero_bubble
plan sums {
  model = gpt(layers: 8, hidden: 1024, heads: 16, vocab: 128000, seq: 512)
  cluster = dgx_a100(nodes: 4)
  mesh = { pp: 4, dp: 8 }
  apply = [$1(dp)]
  schedule = zb_h1(p: pp, m: 8)
  batch = { micro: 1, global: 64 }
  tokens = 512
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
  network = a100_infiniband
}
END
}
for s in data_parallel zero1 zero2; do
  plan $s; trainspec schedule --budget=800 --memory=own --format=json "$scratch/$s.ts" 2>/dev/null >"$scratch/found.json"
  jq -c --arg s $s '[$s, .bound.step_time_ps <= .found.step_time_ps, .found.step_time_ps / .bound.step_time_ps < 1.25, .play_over_search, .found.peak_memory_bytes <= .memory_limit_bytes, .memory_limit_bytes - .own.peak_memory_bytes <= 2 * 1024 * 512]' "$scratch/found.json"
done
