// GPT-2 Large from the traced operators of one GPU, extrapolated to data, tensor and pipeline
// parallelism on a node of H100 or A100.
//
// data/gpt2_large_*.csv hold the times of every operator of one layer and of the ends of the model,
// measured on one GPU at batch 1 and 4, as NeuSight traced them (fp32 without TF32). The batch of 4
// is then divided over 4 GPUs of a node. Forward and backward without optimizer, ms:
//
//                               measured   this plan
//   H100   batch 1                 184.0       186.3
//   H100   batch 4                 638.8       643.7
//   H100   batch 4, dp 4           194.9       199.4
//   H100   batch 4, tp 4           211.1       206.1
//   H100   batch 4, pp 4           637.5       645.1    one micro-batch: the stages take turns
//   A100   batch 4, dp 4           452.3       457.8
//   A100   batch 4, tp 4           484.9       497.2
//   A100   batch 4, pp 4          1597.6      1575
//
// The plain sum of the table's rows is 189.3 ms at batch 1: 2.9 % over the step, since each row
// also holds the wait for its own launch. What rows without a kernel show of that wait is taken off
// (see the tables); what an eager host really costs, std.costs.hosts.eager_torch, hides behind kernels
// this long. The all-reduce of the replicas follows the backward and does not overlap it: the
// measured 11 ms between dp 4 and one GPU are its time alone. The table of 50,257 tokens does not
// divide by 4, so head and embedding stay whole in the tensor-parallel plan. The A100 of the last
// rows are SXM4, the table is of an A100 PCIe.
//
// Try:  -D batch=4    -D batch=4 -D tp=4    -D batch=4 -D pp=4 -D micro=1    -D 'gpu="a100"' -D
// batch=4 -D dp=4
import std.import.plain, std.clusters.dgx, std.strategies.megatron, std.strategies.data
import std.schedules.gpipe, std.precision, std.costs.hosts, std.networks

param gpu: String = "h100"

// The table of the micro-batch, or of the nearest batch that was traced: other batches are scaled
// from it.
fn table_of(micro: Int) -> String = "data/gpt2_large_" + gpu + (if micro < 3 then "_b1.csv" else "_b4.csv")

plan gpt2_large(batch: Int = 1, micro: Int = batch, dp: Int = 1, tp: Int = 1, pp: Int = 1) {
  model = trace(table_of(div(micro, dp)), plain(tied: true), repeat: 36)
  cluster = if gpu == "h100" then dgx_h100(nodes: 1) else dgx_a100_40g(nodes: 1)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp, bucket: 25 MiB, overlap: false)]
  schedule = gpipe(p: pp, m: batch / micro)
  batch = { micro: micro / dp, global: batch }
  tokens = 1024
  precision = full_precision()
  costs = [roofline(if gpu == "h100" then h100_sxm else a100_sxm_40g)]
  network = if gpu == "h100" then h100_infiniband else a100_infiniband
  host = eager_torch
}
