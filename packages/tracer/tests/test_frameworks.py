"""What frameworks do with torch.distributed, on PyTorch 2.x: graphs equal those of real processes with gloo, op by op. The scripts are in scripts/."""
import unittest

import torch

from test_tracer import SCRIPTS, Folder, held, most_held, read, run_real

RECENT = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 6)


def amounts(graph):
    """Allocations and frees without their nodes: the threads of a real group hold tensors a little longer or shorter."""
    return sorted((m["bytes"], m["category"], m.get("module", "")) for m in graph["memory"])


@unittest.skipUnless(RECENT, f"PyTorch {torch.__version__}: these are for 2.6 and later")
class Frameworks(Folder):
    def same(self, world, name, *arguments, options=()):
        """Traced and really run: the same nodes, groups and streams. The kinds of collectives that rank 0 has."""
        script = [str(SCRIPTS / name), *arguments]
        self.trace(world, script, *options)
        run_real(self.folder, world, script, *options)
        self.assert_equal_graphs(world)
        graph = read(self.folder, "traced", 0)
        self.assertNotIn("computed", graph)
        return {node["comm"] for node in graph["nodes"] if "comm" in node}

    def test_fsdp2(self):
        kinds = self.same(2, "fsdp2.py")
        self.assertEqual(kinds, {"all_gather", "reduce_scatter", "all_reduce"})
        graph, real = read(self.folder, "traced", 0), read(self.folder, "real", 0)
        self.assertEqual(graph["held"], real["held"])
        self.assertEqual(amounts(graph), amounts(real))
        self.assertGreater(len({n["stream"] for n in graph["nodes"] if "comm" not in n}), 1)  # copies beside the current stream
        before = held(graph)
        self.assertAlmostEqual(before["optimizer"], 2 * before["parameters"], delta=1000)

    def test_fsdp1(self):
        """Flat parameters, gathered into storages that are resized."""
        self.assertEqual(self.same(2, "ddp.py", "--fsdp"), {"all_gather", "reduce_scatter"})
        graph, real = read(self.folder, "traced", 0), read(self.folder, "real", 0)
        self.assertEqual(amounts(graph), amounts(real))
        block, root = 64 * 64 * 3 + 3 * 64 * 128 + 2 * 64, 2 * 128 * 64 + 64  # llama.Shape
        self.assertEqual(held(graph)["parameters"], 4 * (4 * block + root) // 2)
        self.assertEqual(most_held(graph, "gathered")[0], 4 * (root + 2 * block))  # the one before is gathered beside the backward of one

    def test_memory_of_fsdp2(self):
        """Closed forms: sharded parameters, gradients and states of Adam, 16 bytes a parameter over the ranks; of the whole parameters, those of the root and of one
        layer, and another layer in the buffer of its all-gather; of the activations, the input of each layer, and the rest of one layer again while it is gone through backward."""
        world, batch, layers, hidden, inner, vocabulary, sequence = 8, 2, 6, 512, 1024, 1024, 128
        script = [str(SCRIPTS / "fsdp2.py"), "--meta", "--recompute", "--batch", str(batch), "--layers", str(layers), "--hidden", str(hidden), "--heads", "8", "--kv-heads", "4",
                  "--inner", str(inner), "--vocabulary", str(vocabulary), "--sequence", str(sequence)]
        self.trace(world, script, "--ranks", "0")
        graph = read(self.folder, "traced", 0)
        layer = hidden * hidden * 3 + 3 * hidden * inner + 2 * hidden  # wq and wo, wk and wv of half as many heads
        root = 2 * vocabulary * hidden + hidden
        shard = 4 * (layers * layer + root) // world
        before = held(graph)
        self.assertEqual(before["parameters"], shard)
        self.assertEqual(before["optimizer"], 2 * shard)
        self.assertEqual(sum(m["bytes"] for m in graph["memory"] if m["category"] == "gradients"), shard)
        self.assertEqual(most_held(graph, "gathered")[0], 4 * (root + layer))
        tokens = batch * sequence
        for index in range(layers):
            inputs = [m["bytes"] for m in graph["memory"] if m["category"] == "activations" and m["bytes"] > 0 and graph["nodes"][m["node"]].get("module", "").startswith(f"blocks.{index}.")]
            self.assertEqual(sum(inputs), 4 * tokens * hidden)
        self.assertLess(most_held(graph, "recompute")[0], 4 * tokens * (16 * hidden + 6 * inner))
        most = most_held(graph)[0]
        self.assertGreater(most, 3 * shard + 4 * (root + layer) + 4 * tokens * (layers * hidden + 2 * vocabulary))
        self.assertLess(most, 4 * shard + 4 * (root + 2 * layer) * 2 + 4 * tokens * (layers * hidden + 16 * hidden + 6 * inner + 3 * vocabulary))

    def test_fsdp2_with_replicas_and_recomputation(self):
        self.same(4, "fsdp2.py", "--replicas", "2", "--recompute", "--accumulate", "2")
        graph = read(self.folder, "traced", 0)
        self.assertIn("recompute", {n["phase"] for n in graph["nodes"]})
        self.assertEqual({tuple(graph["groups"][n["group"]]["ranks"]) for n in graph["nodes"] if n["op"] == "reduce_scatter"}, {(0, 1)})
        self.assertIn((0, 2), {tuple(graph["groups"][n["group"]]["ranks"]) for n in graph["nodes"] if n["op"] == "all_reduce"})

    def test_fsdp2_in_two_types(self):
        self.same(2, "fsdp2.py", "--bf16", "--keep")
        types = {n["dtype"] for n in read(self.folder, "traced", 0)["nodes"] if n["op"] in ("all_gather", "reduce_scatter")}
        self.assertEqual(types, {"bfloat16", "float32"})

    def test_dtensor(self):
        self.same(2, "tensor_parallel.py")
        self.assertTrue(any(n["in"][0][1] == [64, 64] for n in read(self.folder, "traced", 0)["nodes"] if n["op"] == "aten::mm"))

    def test_dtensor_beside_fsdp2_and_loss_in_parallel(self):
        self.same(4, "tensor_parallel.py", "--dp", "2", "--loss-parallel")
        self.assertEqual([read(self.folder, "traced", r).get("like") for r in range(4)], [None, 0, 0, None])

    def test_pipeline(self):
        self.assertEqual(self.same(2, "pipeline.py"), {"send", "recv"})

    def test_interleaved_pipeline(self):
        """The first rank needs shapes that the last tells it, and the other way around."""
        self.same(2, "pipeline.py", "--schedule", "Interleaved1F1B", "--chunks", "2")

    def test_zero_bubbles(self):
        self.same(2, "pipeline.py", "--schedule", "InterleavedZeroBubble", "--chunks", "2")

    def test_functional_collectives(self):
        kinds = self.same(2, "functional.py", options=("--step", "0"))
        self.assertLessEqual({"all_gather", "all_reduce", "all_to_all", "broadcast", "reduce_scatter"}, kinds)

    def test_ddp_in_its_variants(self):
        for arguments in (["--views", "--accumulate", "2"], ["--amp"], ["--zero"]):
            self.same(2, "ddp.py", *arguments)

    def test_megatron(self):
        self.same(4, "megatron_calls.py", "--tp", "2")
        self.same(2, "megatron_calls.py", "--pp", "2")

    def test_deepspeed(self):
        self.same(2, "deepspeed_calls.py")

    def test_compiled(self):
        """torch.compile is set aside, and said so: what it would fuse is recorded as written."""
        done = self.trace(1, [self.script(COMPILED)], "--step", "0")
        self.assertIn("torch.compile", done.stderr)
        self.assertIn("aten::cos", {n["op"] for n in read(self.folder, "traced", 0)["nodes"]})

    def test_llama_of_70_billion_on_64_ranks(self):
        """Traced in little time and memory: weights, gradients and activations are never there."""
        script = [str(SCRIPTS / "tensor_parallel.py"), "--dp", "8", "--loss-parallel", "--meta", "--layers", "80", "--hidden", "8192", "--heads", "64", "--kv-heads", "8",
                  "--inner", "28672", "--vocabulary", "128256", "--sequence", "4096", "--steps", "1"]
        self.trace(64, script, "--ranks", "0")
        graph = read(self.folder, "traced", 0)
        self.assertNotIn("computed", graph)
        parameters = sum(m["bytes"] for m in graph["memory"] if m["category"] == "parameters" and m["bytes"] > 0)
        self.assertAlmostEqual(parameters * 64 / 4 / 70.55e9, 1, delta=0.01)


COMPILED = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
model = torch.compile(torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU()))
y = model(torch.ones(64, 64)).cos().sum()
y.backward()
for _ in range(10):
    y = y.sin()
"""
