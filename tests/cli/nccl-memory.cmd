# What NCCL takes is memory held besides: a communicator for each group of several ranks, buffers of its protocols in each channel.
plan() { printf 'import std.models.gpt, std.clusters.dgx, std.networks, std.strategies.data\nplan p(groups: List[Int] = [8, 1]) {\n model = gpt2_small()\n cluster = dgx_h100(nodes: 1)\n mesh = { dp: 8 }\n apply = [data_parallel(dp)]\n batch = { micro: 1, global: 8 }\n costs = [roofline(h100_sxm)]\n memory = nccl_memory(groups%s)\n}\n' "$1" >$scratch/plan.ts; }
held() { tsc -S -o - "$@" $scratch/plan.ts | grep 'hold .*nccl'; }
plan ''; held; held -D 'groups=[4, 2]'; held -D 'groups=[1, 1]' || echo none; plan ', channels: 16, connections: 2, simple: 8 MiB'; held; tsrun $scratch/plan.ts 2>/dev/null | grep ' nccl'
