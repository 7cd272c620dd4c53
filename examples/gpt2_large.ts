// GPT-2 Large from the traced operators of one GPU, extrapolated to data, tensor and pipeline parallelism on a node of H100 or A100.
//
// data/gpt2_large_*.csv hold the times of every operator of one layer and of the ends of the model, measured on one GPU, as NeuSight traced them (fp32).
// Measured steps, forward and backward without optimizer (NeuSight's neusight_e2e.csv), ms:
//                     1 GPU, batch 1   1 GPU, batch 4   dp 4    tp 4    pp 4 (all of batch 4, one micro-batch)
//   H100 SXM               184.0            638.8       194.9   211.1   637.5
//   A100 (*)                                            452.3   484.9  1597.6
// (*) four A100-SXM4-40GB from the table of one A100 PCIe, which itself ran up to 16 % slower than its table says.
//
// Try:  -D batch=4, -D 'batch=4, dp=4', ...
import std.import.plain, std.clusters.dgx, std.strategies.megatron, std.strategies.data
import std.schedules.gpipe, std.precision, std.hosts

param gpu: String = "h100"

// The table of the micro-batch, or of the nearest batch that was traced: other batches are scaled from it.
fn table_of(micro: Int) -> String = "data/gpt2_large_" + gpu + (if micro < 3 then "_b1.csv" else "_b4.csv")

plan gpt2_large(batch: Int = 1, micro: Int = batch, dp: Int = 1, tp: Int = 1, pp: Int = 1) {
  model = trace(table_of(div(micro, dp)), plain(tied: pp == 1), repeat: 36)
  cluster = if gpu == "h100" then dgx_h100(nodes: 1) else dgx_a100_40g(nodes: 1)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp, bucket: 25 MiB, overlap: false)]
  schedule = gpipe(p: pp, m: batch / micro)
  batch = { micro: micro / dp, global: batch }
  tokens = 1024
  precision = full_precision()
  costs = [roofline(if gpu == "h100" then h100_sxm else a100_sxm_40g)]
  host = eager_torch
}
