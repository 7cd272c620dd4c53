"""The stand-in for cuda: scripts that ask for GPUs, on a machine without one."""
import collections
import pathlib
import re
import unittest

import torch

from test_tracer import ROOT, Folder, environment, read, tracer  # noqa: F401
from trainspec_tracer.cuda import guard

SCRIPT = str(ROOT / "tests" / "scripts" / "cuda_gpt.py")
PLACES = ROOT.parents[1] / "stdlib" / "gpus"
MODERN = hasattr(torch.nn.functional, "scaled_dot_product_attention")


def supported():
    try:
        return bool(guard.places())
    except guard.Unsupported:
        return False


def count(graph):
    return collections.Counter(node["op"].replace("aten::", "") for node in graph["nodes"])


def peak(graph):
    """Bytes: the most that is held at once."""
    held = most = sum(part["bytes"] for part in graph["held"])
    for event in graph["memory"]:
        held += event["bytes"]
        most = max(most, held)
    return most


def held(graph, category):
    return sum(part["bytes"] for part in graph["held"] if part["category"] == category)


@unittest.skipIf(torch.cuda.is_available(), "there is a GPU")
@unittest.skipUnless(supported(), "the stand-in is for PyTorch with its headers, and Debian's 1.13 and 2.6")
class Cuda(Folder):
    def stand_in(self, script, *options, world=1, arguments=(), status=0):
        return self.trace(world, [script, *arguments], "--device", "h100_sxm", *options, status=status)

    def written(self, text, *options, **how):
        """All that a script of these lines does."""
        self.stand_in(self.script("import torch\n" + text), "--step", "0", *options, **how)
        return read(self.folder, "traced", 0)

    def test_graphs_are_refused(self):
        done = self.stand_in(self.script("import torch\ntorch.cuda.CUDAGraph()"), status=1)
        self.assertIn("CUDA graphs are not in the stand-in for cuda", done.stderr)

    @unittest.skipUnless(MODERN, "operators of Python with views, on 2.x")
    def test_views_that_operators_return(self):
        """An operator that writes into a buffer and returns a part of it (FSDP2's gathers) gives that memory, which lives as long as the part: computed, and not."""
        text = """
library = torch.library.Library("mine", "DEF")
library.define("part(Tensor x) -> Tensor")
for key in ("CPU", "Meta"):
    library.impl("part", lambda x: x[2:] if x.is_meta else x[2:].fill_(3), key)
for size in (8, 1 << 20):
    buffer = torch.zeros(size, device="cuda")
    part = torch.ops.mine.part(buffer)
    print("offset", part.data_ptr() - buffer.data_ptr(), part.untyped_storage().nbytes() - buffer.untyped_storage().nbytes())
small = torch.ops.mine.part(torch.zeros(3, device="cuda"))
others = [torch.ones(3, device="cuda") for _ in range(99)]
print("kept", small.tolist())
"""
        done = self.stand_in(self.script("import torch\n" + text), "--step", "0")
        self.assertEqual(done.stdout.count("offset 8 0"), 2, done.stdout)
        self.assertIn("kept [3.0]", done.stdout)

    def test_gpt(self):
        """Operators as on a GPU, copies, waits of the host, and memory by closed forms."""
        done = self.stand_in(SCRIPT, arguments=["--state"])
        graph = read(self.folder, "traced", 0)
        self.assertNotIn("computed", graph)
        ops = count(graph)
        dropouts = 4 if MODERN else 6
        self.assertEqual((ops["native_dropout"], ops["native_dropout_backward"]), (dropouts, dropouts))
        if MODERN:
            kind = "cudnn" if guard.VERSION >= (2, 11) else "flash"  # of an H100
            self.assertEqual((ops[f"_scaled_dot_product_{kind}_attention"], ops[f"_scaled_dot_product_{kind}_attention_backward"], ops["_fused_adamw_"]), (2, 2, 1))
        self.assertGreater(ops["_amp_foreach_non_finite_check_and_unscale_"], 0)
        types = {node["op"]: {t[0] for t in node["in"]} for node in graph["nodes"] if node["phase"] == "forward" and "in" in node}
        self.assertEqual(types["aten::mm"], {"float16"})  # the head; CUDA's autocast computes these in halves, and norms in whole floats
        self.assertIn("float32", types["aten::native_layer_norm"])
        copies = collections.Counter(node["copy"] for node in graph["nodes"] if "copy" in node)
        self.assertEqual(copies["host_to_device"], 2)
        parameters = int(re.search(r"parameters (\d+)", done.stdout).group(1))
        layer = 12 * 256 * 256 + 13 * 256
        self.assertEqual(parameters, 2 * layer + 2 * 1024 * 256)
        self.assertEqual(held(graph, "parameters"), 4 * parameters)
        self.assertAlmostEqual(held(graph, "optimizer"), 8 * parameters, delta=1024)
        self.assertLess(peak(graph), 8 << 20 | 4 * 8 * parameters)  # 8 MiB of tokens lie on the host
        said = re.search(r"peak (\d+) held (\d+) used (\d+)", done.stdout)
        self.assertEqual(int(said.group(2)), int(said.group(3)))
        self.assertGreaterEqual(int(said.group(1)), peak(graph))
        self.assertIn("device NVIDIA H100 80GB HBM3 (9, 0) 1 16", done.stdout)

    def test_ddp_by_torchrun(self):
        done = tracer("--device", "h100_sxm", "-o", str(self.folder / "traced.{rank}.json"), "--", "torchrun", "--nproc-per-node", "4", SCRIPT, "--dtype", "bfloat16")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 graphs written, 2 traced, 2 alike", done.stderr)
        graph = read(self.folder, "traced", 3)
        reduced = sum(node["in_elements"] for node in graph["nodes"] if node["op"] == "all_reduce" and node["phase"] == "backward")
        self.assertEqual(reduced, int(re.search(r"parameters (\d+)", done.stdout).group(1)))

    def test_buckets_of_ddp(self):
        """Of two sets of buckets, the first and those in the order of gradients, one is held."""
        self.stand_in(self.script(BUCKETS), "--ranks", "0", world=2)
        graph = read(self.folder, "traced", 0)
        gradients = 4 * 8 * (512 * 512 + 512)
        self.assertEqual(held(graph, "communication"), gradients)
        self.assertEqual([n["bytes"] for n in graph["nodes"] if "comm" in n], [gradients // 8, gradients // 8 * 7])  # 1 MiB, then 25

    def test_unused_parameters_of_ddp(self):
        self.stand_in(self.script(BUCKETS.replace("device_ids", "find_unused_parameters=True, device_ids")), "--ranks", "0", world=2)
        calls = [n["bytes"] for n in read(self.folder, "traced", 0)["nodes"] if "comm" in n]
        self.assertEqual(calls[-1], 4 * 16)  # which parameters were used, a number of each

    def test_data_parallel_of_one_device(self):
        text = """
model = torch.nn.DataParallel(torch.nn.Linear(64, 64).cuda())
model(torch.randn(512, 64)).mean().backward()
"""
        self.assertEqual(count(self.written(text))["addmm"], 1)
        self.assertIn("DataParallel of 2 devices", self.stand_in(self.script("import torch" + text), world=2, status=1).stderr)

    def test_recomputation(self):
        self.stand_in(SCRIPT, arguments=["--recompute"])
        phases = collections.Counter(node["phase"] for node in read(self.folder, "traced", 0)["nodes"] if node["op"] == "aten::native_dropout")
        self.assertEqual(phases["recompute"], phases["forward"])

    def test_spawned_ranks(self):
        """torch.multiprocessing.spawn, as in PyTorch's first tutorial of DDP."""
        self.stand_in(self.script(SPAWN), world=4)
        graph = read(self.folder, "traced", 2)
        self.assertEqual([n["in_elements"] for n in graph["nodes"] if n["op"] == "all_reduce"], [20 + 1])

    def test_values_are_computed_where_they_are_small(self):
        graph = self.written("""
t = torch.tensor([1, 2, 3], device="cuda")
assert t.device == torch.device("cuda", 0) and t.is_cuda and t.type() == "torch.cuda.LongTensor"
assert (t + 1).tolist() == [2, 3, 4] and t[1:].sum().item() == 5 and str(t) == "tensor([1, 2, 3], device='cuda:0')"
assert torch.arange(4, device=0).view(2, 2).t().contiguous().cpu().tolist() == [[0, 2], [1, 3]]
t[0] = 7
assert t.unsqueeze(0).expand(2, 3).cpu()[1, 0] == 7 and torch.cat([t, t]).max() == 7
try:
    t.numpy()
    raise SystemExit("a tensor of the device became an array")
except TypeError:
    pass
import io
torch.save(t, io.BytesIO())
assert torch.cuda.nccl.version()[0] == 2
""")
        self.assertEqual({n["copy"] for n in graph["nodes"] if n.get("sync") and "copy" in n}, {"device_to_host"})

    def test_streams_and_waits(self):
        graph = self.written("""
side, done = torch.cuda.Stream(), torch.cuda.Event()
x = torch.ones(512, 512, device="cuda")
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = x.sin()
    done.record()
z = x.cos()
done.synchronize()
torch.cuda.current_stream().wait_event(done)
w = y + z
torch.cuda.synchronize()
""")
        nodes = {n["op"].replace("aten::", ""): n for n in graph["nodes"]}
        self.assertEqual(nodes["sin"]["deps"], [nodes["ones"]["id"]])
        self.assertNotIn("deps", nodes["cos"])
        self.assertNotEqual(nodes["sin"]["stream"], nodes["cos"]["stream"])
        self.assertEqual(nodes["add"]["deps"], [nodes["sin"]["id"]])
        self.assertEqual(nodes["event synchronize"]["deps"], [nodes["sin"]["id"]])
        self.assertEqual(nodes["device synchronize"]["deps"], [nodes["add"]["id"]])
        self.assertEqual(graph["streams"][nodes["device synchronize"]["stream"]]["kind"], "host")

    def test_half_precision_without_a_kernel(self):
        """Hosts have no kernels of half precision for many operators of a GPU: no script dies of that, in the backward either."""
        graph = self.written("""
import torch.nn.functional as F
for dtype in (torch.float16, torch.bfloat16):
    w = torch.nn.Parameter(torch.zeros(8, 3, 3, 3, device="cuda", dtype=dtype))
    y = F.conv2d(torch.zeros(2, 3, 16, 16, device="cuda", dtype=dtype), w, padding=1)
    for f in (lambda y: F.adaptive_avg_pool2d(y, (3, 3)), lambda y: F.avg_pool2d(y, 2), lambda y: F.max_pool2d(y, 2),
              lambda y: F.interpolate(y, scale_factor=2, mode="bilinear"), lambda y: F.group_norm(y, 4), lambda y: y.logsumexp(1)):
        out = f(y)
        assert out.dtype == dtype
        out.float().sum().backward(retain_graph=True)
""")
        self.assertEqual(count(graph)["_adaptive_avg_pool2d_backward"], 2)

    def test_events_behind_waits(self):
        """A wait is work of its stream: what is recorded behind one ends no sooner, though nothing else runs there. By hand: `sin` on the first stream, every other stream behind it."""
        for how in ("relay.wait_event(done); later.record(relay); last.wait_event(later)",
                    "relay.wait_stream(first); last.wait_stream(relay)",
                    "relay.wait_stream(first); later.record(relay); later.wait(last)",
                    "relay.wait_event(done); later.record(relay); later.synchronize()"):
            nodes = {n["op"].replace("aten::", ""): n for n in self.written(f"""
first, relay, last = (torch.cuda.Stream() for _ in range(3))
done, later = torch.cuda.Event(), torch.cuda.Event()
x = torch.ones(512, 512, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(first):
    x.sin()
    done.record()
{how}
with torch.cuda.stream(last):
    x.cos()
""")["nodes"]}
            waits = nodes["event synchronize" if "synchronize" in how else "cos"]
            self.assertEqual(waits.get("deps"), [nodes["sin"]["id"]], how)

    def test_kernels_of_libraries(self):
        """cuDNN's batch norm, as C++ chooses it where there is cuDNN."""
        graph = self.written("""
m = torch.nn.Sequential(torch.nn.Conv2d(3, 64, 7), torch.nn.BatchNorm2d(64), torch.nn.ReLU()).cuda()
m(torch.randn(8, 3, 64, 64, device="cuda")).sum().backward()
""")
        ops = count(graph)
        self.assertEqual((ops["cudnn_batch_norm"], ops["cudnn_batch_norm_backward"], ops["convolution"]), (1, 1, 1))

    def test_recurrent_layers(self):
        """LSTM and GRU are one operator of cuDNN each, forward and backward, with the gradients of all weights."""
        graph = self.written(RECURRENT)
        forward, backward = ([n for n in graph["nodes"] if n["op"] == f"aten::_cudnn_rnn{part}"] for part in ("", "_backward"))
        self.assertEqual([n["out"][0][1] for n in forward], [[35, 16, 256], [16, 35, 512]])
        self.assertEqual([len(n["in"]) for n in forward], [1 + 4 * 2 + 2, 1 + 4 * 2 * 2 + 1])
        for node, gates, layers in ((backward[1], 4, [(256, 256)] * 2), (backward[0], 3, [(256, 256)] * 2 + [(512, 256)] * 2)):
            weights = sum(gates * width * (taken + width) + 2 * gates * width for taken, width in layers)
            made = [shape for _, shape in node["out"]]
            self.assertEqual(sum(torch.Size(s).numel() for s in made[-4 * len(layers):]), weights)
        self.assertNotIn("computed", graph)

    def test_memory_of_the_device_is_a_limit(self):
        self.stand_in(self.script("import torch\nx = [torch.empty(1 << 30, device='cuda') for _ in range(40)]"), "--step", "0", status=3)

    def test_properties_are_those_of_the_library(self):
        from trainspec_tracer.cuda.devices import GPUS
        text = "\n".join(path.read_text() for path in sorted(PLACES.glob("*.ts"))) if PLACES.is_dir() else self.skipTest("no library beside the tracer")

        def value(name, field):
            base, body = re.search(rf'^gpu {name} (?:source "[^"]*" )?(?:= (\w+) with )?\{{(.*?)(?=^gpu |\Z)', text, re.M | re.S).groups()
            found = re.search(rf"\b{field} = ([\d.]+)", body)
            return float(found.group(1)) if found else value(base, field)

        for name, (_, _, memory, reserved, processors, cache) in GPUS.items():
            self.assertEqual((memory, reserved, processors, cache), tuple(value(name, f) for f in ("memory", "reserved", "sms", "l2")), name)

    def test_scripts_that_cannot_be_traced(self):
        for text, status, message in (("import torch\nif torch.cuda.device_count() < 2:\n    raise SystemExit(0)", 4, "no step of an optimizer"),
                                      ("import torch\nw = torch.nn.Linear(4, 4)\ntorch.optim.SGD(w.parameters(), lr=1).step()", 1, "asks for no cuda"),
                                      ("import time\ntime.sleep(60)", 1, "not done after 5 s"),
                                      (SPAWN.replace("torch.cuda.device_count()", "3"), 1, "spawns 3 processes"),
                                      (FORK, 1, "forks its ranks")):
            done = self.stand_in(self.script(text), "--limit", "5" if "sleep" in text else "200", status=status)
            self.assertIn(message, done.stderr)
            self.assertEqual(list(self.folder.glob("traced.*")), [])
        self.assertIn("no GPU `h900`", tracer("--world", "1", "--device", "h900", "--", "python3", "x.py").stderr)


RECURRENT = """
lstm = torch.nn.LSTM(256, 256, 2, dropout=0.2).cuda()
gru = torch.nn.GRU(256, 256, 2, batch_first=True, bidirectional=True).cuda()
out, (hidden, cell) = lstm(torch.randn(35, 16, 256, device="cuda"))
assert out.shape == (35, 16, 256) and cell.shape == (2, 16, 256)
out = gru(out.transpose(0, 1))[0]
out.mean().backward()
"""

BUCKETS = """
import torch, torch.distributed as dist
dist.init_process_group("nccl")
device = torch.device("cuda", dist.get_rank())
torch.cuda.set_device(device)
layers = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(8)]).to(device)
model = torch.nn.parallel.DistributedDataParallel(layers, device_ids=[device])
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    model(torch.randn(16, 512, device=device)).sum().backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
"""

SPAWN = """
import os, torch, torch.multiprocessing as mp
from torch.distributed import init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP

def main(rank, world):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT="12355")
    torch.cuda.set_device(rank)
    init_process_group("nccl", rank=rank, world_size=world)
    model = DDP(torch.nn.Linear(20, 1).to(rank), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 20).to(rank)).sum().backward()
        optimizer.step()

if __name__ == "__main__":
    mp.spawn(main, args=(torch.cuda.device_count(),), nprocs=torch.cuda.device_count())
"""

FORK = """
import torch, torch.distributed as dist, torch.multiprocessing as mp

def main():
    dist.init_process_group("nccl", rank=0, world_size=1)

rank = mp.get_context("fork").Process(target=main)
rank.start()
rank.join()
raise SystemExit(rank.exitcode)
"""
