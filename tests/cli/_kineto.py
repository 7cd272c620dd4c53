"""A step's timeline (tsrun --trace) as the PyTorch profiler would have recorded it: kernels by the
names that libraries give them, each with the call that launched it.

_kineto.py TIMELINE [STEPS]: STEPS of them, one after the other, marked."""
import json
import sys

NAMES = {"gemm": "ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn",
         "grouped_gemm": "cutlass::device_kernel<GroupedGemm>", "attention": "flash_fwd_kernel",
         "attention_backward": "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
         "elementwise": "at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>",
         "optimizer": "at::native::multi_tensor_apply_kernel", "copy": "Memcpy HtoD (Pinned -> Device)"}
CALLS = {"all_reduce": "AllReduce_Sum_bf16_RING_LL", "all_gather": "AllGather_RING_LL",
         "reduce_scatter": "ReduceScatter_Sum_bf16_RING_LL", "all_to_all": "SendRecv", "message": "SendRecv"}


def name_of(event):
    arguments = event["args"]
    if event["cat"] != "compute":
        return "ncclDevKernel_" + CALLS[arguments.get("collective", "message")] + "(ncclDevKernelArgs)"
    update = arguments["phase"] == "optimizer" and arguments["kernel"] != "gemm"
    return NAMES["optimizer" if update else arguments["kernel"]]


def step_of(timeline, number, begin):
    """The step's events, and when it ends."""
    issued, ends = 0, {}
    yield {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 9, "tid": 9, "ts": begin,
           "dur": timeline["step"]}
    for i, event in enumerate(timeline["events"]):
        if event["cat"] == "issue":
            issued = event["ts"] + event["dur"]
        if event["cat"] not in ("compute", "collective", "send", "recv") or event["dur"] == 0:
            continue
        waited = event["args"].get("waited_ps", 0) / 1e6
        if event["cat"] == "recv":  # it is on the device, and waits, from its launch
            waited = max(0, event["ts"] - max(issued, ends.get(event["tid"], 0)))
        ends[event["tid"]] = event["ts"] + event["dur"]
        link = {"correlation": number * 1000000 + i}
        yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9,
               "ts": begin + min(issued, event["ts"] - waited), "dur": 0, "args": link}
        yield {"ph": "X", "cat": "kernel", "name": name_of(event), "pid": 0, "tid": event["tid"],
               "ts": begin + event["ts"] - waited, "dur": event["dur"] + waited, "args": {"stream": event["tid"], **link}}


with open(sys.argv[1]) as f:
    slices = [e for e in json.load(f)["traceEvents"] if e["ph"] == "X" and e.get("cat") != "work"]
first = slices[0]["pid"]
events = [e for e in slices if e["pid"] == first]
timeline = {"events": events, "step": float(sys.argv[3]) if len(sys.argv) > 3 else max(e["ts"] + e["dur"] for e in events)}
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1
out = [e for n in range(steps) for e in step_of(timeline, n + 1, n * timeline["step"])]
for e in out:
    e["ts"], e["dur"] = round(e["ts"], 3), round(e["dur"], 3)
json.dump({"schemaVersion": 1, "distributedInfo": {"rank": first, "world_size": 16}, "traceEvents": out}, sys.stdout)
