// A PyTorch script on four H100, from what the tracer wrote: packages/tracer/examples/gpt.py with tensor and
// pipeline parallelism of 2, 4 layers, width 4,096, 4 micro-batches of 2,048 words, traced without a
// GPU:
//
//   trainspec-trace --world 4 -o gpt.{rank}.json -- python gpt.py --tp 2 --pp 2 --layers 4 --hidden 4096
//     --heads 32 --sequence 2048 --vocabulary 50304 --batch 1 --micro-batches 4
//
// What each rank does is in the graphs; this plan says where it runs. The script computes in fp32.
language 1
import std.clusters.dgx, std.networks, std.costs.hosts

plan traced {
  model = graph("data/gpt.{rank}.json.gz")
  cluster = dgx_h100(nodes: 1)
  costs = [fit("std/fits/h100_sxm_fp32.fit.json"), fit("std/fits/h100_sxm_elementwise.fit.json"), roofline(h100_sxm, floor: 2 us)]
  network = h100_infiniband
  host = eager_torch
  batch = { global: 4 }
  tokens = 2048
}
