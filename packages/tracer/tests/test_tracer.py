"""Tests of the tracer. With TRAINSPEC set to the program, also that it reads and plays what was traced."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
GPT = [str(ROOT / "examples" / "gpt.py"), "--tp", "2", "--pp", "2"]
SCRIPTS = ROOT / "tests" / "scripts"
LIMIT = 240  # s for one command

import torch  # noqa: E402

import forks  # noqa: E402
from trainspec_tracer import alike, graph as graphs, metrics, overlap, routing  # noqa: E402
from trainspec_tracer.cli import size, split, ranks_of  # noqa: E402


PYTHON, REAL = forks.interpreter(), forks.interpreter()  # of traced ranks, and of really running ones


def environment(**more):
    return dict(os.environ, PYTHONPATH=str(ROOT), OMP_NUM_THREADS="1", USE_LIBUV="0", **more)  # Debian's PyTorch 2.6 is built without libuv


def tracer(*arguments, cwd=None, python=PYTHON):
    return subprocess.run([python, "-m", "trainspec_tracer", *arguments], env=environment(), cwd=cwd, capture_output=True, text=True, timeout=LIMIT)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def run_real(folder, world, script, *options):
    """As many processes as ranks, with gloo between them, each recorded."""
    port, running = free_port(), []
    for rank in range(world):
        own = environment(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        command = [REAL, "-m", "trainspec_tracer", "--real", *options, "-o", str(folder / "real.{rank}.json"), "--", REAL, *script]
        running.append(subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
    try:
        for rank, process in enumerate(running):
            _, errors = process.communicate(timeout=LIMIT)
            assert process.returncode == 0, f"rank {rank}: {errors}"
    finally:
        for process in running:
            process.kill()


def read(folder, name, rank):
    return graphs.read(str(folder / f"{name}.{rank}.json"))


def held(graph, module=None):
    """Bytes held before the first node, by category; of one module alone if it is named."""
    out = {}
    for part in graph["held"]:
        if module is None or part.get("module", "") == module:
            out[part["category"]] = out.get(part["category"], 0) + part["bytes"]
    return out


def most_held(graph, category=None):
    """The most bytes held at a time, of one category or of all, and the node at which."""
    now = sum(part["bytes"] for part in graph["held"] if category in (None, part["category"]))
    most = (now, 0)
    for event in graph["memory"]:
        if category in (None, event["category"]):
            now += event["bytes"]
            most = max(most, (now, event["node"]), key=lambda found: found[0])
    return most


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="trainspec-tracer.")
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def script(self, text):
        path = self.folder / "script.py"
        path.write_text(text)
        return str(path)

    def trace(self, world, script, *options, status=0, python=PYTHON):
        done = tracer("--world", str(world), "-o", str(self.folder / "traced.{rank}.json"), *options, "--", python, *script, python=python)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def assert_equal_graphs(self, world, first="traced", second="real"):
        for rank in range(world):
            a, b = read(self.folder, first, rank), read(self.folder, second, rank)
            self.assertGreater(len(a["nodes"]), 10)
            self.assertIsNone(graphs.difference(a, b))


class Gpt(Folder):
    """tp 2, pp 2, dp 2."""

    def test_equals_eight_real_processes(self):
        """The graph of each rank equals, op by op, that of a real process. Half of them are traced, the others alike. The program reads and plays them."""
        play = ["--play", "1T:1T:10G:5us"] if os.environ.get("TRAINSPEC") else []
        done = self.trace(8, GPT, *play)
        self.assertIn("8 graphs written, 4 traced, 4 alike", done.stderr)
        self.assertEqual([r for r in range(8) if "like" in read(self.folder, "traced", r)], [1, 2, 5, 6])
        run_real(self.folder, 8, GPT)
        self.assert_equal_graphs(8)
        kinds = {node["op"] for node in read(self.folder, "real", 0)["nodes"]}
        self.assertLessEqual({"aten::addmm", "aten::gelu", "all_reduce", "send", "recv"}, kinds)
        if play:
            self.assertIn("8 ranks, ", done.stdout)
            self.assert_read_and_played()

    def assert_read_and_played(self):
        files = [str(self.folder / f"traced.{r}.json") for r in range(8)]
        program = os.environ["TRAINSPEC"]
        shown = subprocess.run([program, "trace", "--format=json", *files], capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        together = json.loads(shown.stdout)["together"]
        self.assertEqual((together["orphans"], together["disagreeing"], together["messages"]), (0, 0, 32))
        played = subprocess.run([program, "replay", "--format=json", "--machine", "1T:1T:10G:5us", *files], capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(played.returncode, 0, played.stderr)
        self.assertEqual([c["ranks"] for c in json.loads(played.stdout)["classes"]], [4, 4])


class AgainstRealProcesses(Folder):
    def test_ddp(self):
        script = [self.script(DDP)]
        self.trace(2, script)
        run_real(self.folder, 2, script)
        self.assert_equal_graphs(2)
        traced = read(self.folder, "traced", 1)
        buckets = [n for n in traced["nodes"] if n["op"] == "all_reduce"]
        self.assertEqual(sum(n["in_elements"] for n in buckets), 64 * 256 + 256 + 256 * 64 + 64)
        self.assertTrue(all(n["phase"] == "backward" for n in buckets))
        self.assertEqual(held(traced)["parameters"], 4 * sum(n["in_elements"] for n in buckets))

    def test_collectives(self):
        """Each kind that gloo has, with values that later shapes depend on."""
        script = [self.script(COLLECTIVES)]
        self.trace(2, script, "--all", "--step", "0")
        run_real(self.folder, 2, script, "--step", "0")
        self.assert_equal_graphs(2)


    def test_ring(self):
        """Messages in batches, around a ring of ranks."""
        script = [self.script(RING)]
        self.trace(3, script, "--step", "0")
        run_real(self.folder, 3, script, "--step", "0")
        self.assert_equal_graphs(3)
        self.assertEqual([n["peer"] for n in read(self.folder, "traced", 0)["nodes"] if n["op"] == "recv"], [2] * 3)


class Scripts(Folder):
    """Training scripts of the usual kinds: small ones against real processes, and those of the published size against published figures."""

    def same(self, world, name, *arguments):
        script = [str(SCRIPTS / name), *arguments]
        self.trace(world, script)
        run_real(self.folder, world, script)
        self.assert_equal_graphs(world)

    def large(self, world, name, *arguments):
        """Its second step, before which optimizers have their states."""
        self.trace(world, [str(SCRIPTS / name), *arguments], "--ranks", "0", "--step", "2")
        graph = read(self.folder, "traced", 0)
        self.assertNotIn("computed", graph)
        return graph

    def test_resnet_with_accumulated_gradients(self):
        self.same(2, "resnet.py", "--blocks", "1,1", "--width", "16", "--image", "32", "--classes", "10")
        graph = self.large(8, "resnet.py")
        parameters, images, rounds = 25557032, 2, 4  # torchvision's ResNet-50
        self.assertEqual(held(graph)["parameters"], 4 * parameters)
        self.assertEqual(sum(n["in_elements"] for n in graph["nodes"] if n["op"] == "all_reduce"), parameters)
        products = 0
        for node in graph["nodes"]:
            if node["op"] == "aten::convolution" or node["op"] == "aten::mkldnn_convolution":
                weight, out = node["in"][1][1], node["out"][0][1]
                products += numel(out) * numel(weight[1:])
        self.assertAlmostEqual((products / images / rounds + 2048 * 1000) / 4.089e9, 1, delta=0.001)  # multiplications of an image, He et al. and torchvision

    def test_bert_under_autocast_recomputed(self):
        small = ["--layers", "2", "--hidden", "64", "--heads", "4", "--vocabulary", "512", "--positions", "64", "--sequence", "32"]
        for more in ([], ["--reentrant"]):
            self.same(2, "bert.py", *small, *more)
        graph = self.large(8, "bert.py")
        self.assertEqual(held(graph)["parameters"], 4 * 109482240)  # bert-base-uncased
        self.assertEqual(held(graph)["optimizer"], 2 * 4 * 109482240)
        self.assertEqual(sum(n["in_elements"] for n in graph["nodes"] if n["op"] == "all_reduce"), 109482240)
        products = [n for n in graph["nodes"] if n["op"] in ("aten::addmm", "aten::mm", "aten::bmm") and "layers.3" in n.get("module", "")]
        self.assertTrue(all(n["in"][-1][0] == "bfloat16" for n in products))
        self.assertEqual(sum(n["phase"] == "forward" for n in products), 8)
        self.assertIn(sum(n["phase"] == "recompute" for n in products), (7, 8))  # the last is not needed, and PyTorch 2.1 and later stop before it

    def test_attention_around_a_ring(self):
        self.same(4, "ring_attention.py")
        graph, layers, world = read(self.folder, "traced", 0), 2, 4
        sent = [n for n in graph["nodes"] if n["op"] == "send"]
        self.assertEqual(sum(n["bytes"] for n in sent), 4 * layers * (2 * 2 * (world - 1) + 2 * world) * (2 * 256 // world * 64))
        self.assertEqual({n["peer"] for n in sent}, {1})


def numel(shape):
    out = 1
    for size in shape:
        out *= size
    return out


class Acting(Folder):
    def test_one_rank_that_differs_is_found(self):
        """Rank 0 does something the others do not: the class is halved until both ends agree."""
        script = [self.script(ODD)]
        self.trace(8, script, "--step", "0")
        for rank in range(8):
            ops = [n["op"] for n in read(self.folder, "traced", rank)["nodes"]]
            self.assertEqual("aten::cos" in ops, rank == 0)

    def test_waits(self):
        """What runs between an asynchronous collective and its wait does not depend on it; what runs after does."""
        self.trace(2, [self.script(WAITS)], "--step", "0", "--ranks", "0")
        nodes = {n["op"]: n for n in read(self.folder, "traced", 0)["nodes"]}
        reduce = nodes["all_reduce"]
        self.assertEqual(reduce["deps"], [nodes["aten::sin"]["id"]])
        self.assertNotIn("deps", nodes["aten::cos"])
        self.assertEqual(nodes["aten::tanh"]["deps"], [reduce["id"]])
        self.assertNotEqual(reduce["stream"], nodes["aten::cos"]["stream"])

    def test_events_between_streams(self):
        """With stand-ins for streams and events of a GPU."""
        script = self.script(EVENTS)
        subprocess.run([PYTHON, script], env=environment(), cwd=self.folder, check=True, timeout=LIMIT)
        nodes = read(self.folder, "mine", 0)["nodes"]
        self.assertEqual([(n["op"], n["stream"], n.get("deps")) for n in nodes],
                         [("aten::sin", 0, None), ("copy", 1, None), ("aten::cos", 0, None), ("copy", 1, [0]), ("aten::tan", 0, [3]), ("event synchronize", 2, [3])])

    def test_phases_of_recomputation(self):
        """The forward of each block is done again, up to what the backward needs; the rest of the backward is none of it, and each operator has its block."""
        for reentrant in "01":
            self.trace(1, [self.script(CHECKPOINTED), reentrant])
            nodes = read(self.folder, "traced", 0)["nodes"]

            def operators(phase, block):
                return [n["op"] for n in nodes if n["phase"] == phase and n.get("module", "").startswith(f"blocks.{block}")]

            for block in range(3):
                forward, again = operators("forward", block), operators("recompute", block)
                self.assertEqual(forward[:len(again)], again)
                self.assertGreaterEqual(len(again), 3)
                self.assertEqual(operators("backward", block).count("aten::mm"), 4)  # a gradient of input and weight for each of two layers
            self.assertEqual(sum(n["op"] == "aten::mm" and n["phase"] == "backward" for n in nodes), 3 * 4 + 2)
            self.assertGreater(most_held(read(self.folder, "traced", 0), "recompute")[0], 0)

    def test_numbers_of_optimizers_are_the_hosts(self):
        """Counts of steps are no memory of the device, work on them no operators, and reading them no synchronization."""
        self.trace(1, [self.script(LOSS)])
        nodes = [n for n in read(self.folder, "traced", 0)["nodes"] if n["phase"] == "optimizer"]
        self.assertGreater(len(nodes), 10)
        self.assertEqual([n for n in nodes if "sync" in n or any(not t[1] for t in n["in"])], [])
        parameters = 64 * 128 + 128 + 2 * 128 + 128 * 64 + 64
        self.assertEqual(held(read(self.folder, "traced", 0))["optimizer"], 2 * 4 * parameters)

    def test_optimizers_in_turn_are_one_step(self):
        """Megatron-LM has one for experts and one for the rest; where each has its own backward they are steps."""
        for apart, steps in ((False, 3), (True, 6)):
            script = self.script(f"TWO, APART = 3, {apart}" + TWO_OPTIMIZERS)
            self.trace(1, [script], "--step", str(steps))
            self.assertEqual(sum(n["phase"] == "backward" and n["op"] == "aten::mm" for n in read(self.folder, "traced", 0)["nodes"]), 1)
            self.assertIn("there are " + str(steps), self.trace(1, [script], "--step", str(steps + 1), status=1).stderr)

    def test_no_further_than_wanted(self):
        """A script of many steps ends when the wanted one has, whatever optimizers are part of it; and a backward of the next step tells so."""
        done = self.trace(1, [self.script(LONG)], "--step", "3")
        self.assertEqual(done.stdout.split(), ["0", "1", "2", "3"])
        graph = read(self.folder, "traced", 0)
        whole = self.trace(1, [self.script(LONG.replace("1000000", "3"))]) and read(self.folder, "traced", 0)
        self.assertEqual([n["op"] for n in graph["nodes"]], [n["op"] for n in whole["nodes"]])

    @unittest.skipUnless(hasattr(torch, "cpu") and hasattr(torch.cpu, "synchronize"), "no streams of the CPU")
    def test_synchronize(self):
        """The host waits for all streams."""
        self.trace(1, [self.script(SYNCHRONIZED)], "--step", "0")
        graph = read(self.folder, "traced", 0)
        kinds = {s["id"]: s["kind"] for s in graph["streams"]}
        nodes = [(n["op"], kinds[n["stream"]], n.get("deps")) for n in graph["nodes"]]
        self.assertEqual(nodes[-5:], [("aten::sin", "compute", None), ("all_reduce", "comm", [1]), ("device synchronize", "host", [1, 2]), ("aten::cos", "compute", None),
                                      ("device synchronize", "host", [4])])

    def test_experts_are_chosen_as_stated(self):
        """Where scores are not computed: balanced, or by Zipf's law, as counted by what a script works out from the choices; and the bytes exchanged are those."""
        tokens, experts, most, world = 4096, 32, 2, 4
        harmonic = sum(1 / i for i in range(1, experts + 1))
        for how, share in (("balanced", lambda e: 1 / experts), ("zipf:1", lambda e: 1 / (e + 1) / harmonic)):
            done = self.trace(world, [self.script(EXPERTS)], "--ranks", "1", "--routing", how, "--step", "0")
            self.assertIn(how, done.stderr)
            counts = json.loads(done.stdout)
            for expert, count in enumerate(counts):
                self.assertAlmostEqual(count, tokens * most * share(expert), delta=0 if how == "balanced" else 6)
            graph = read(self.folder, "traced", 1)
            self.assertEqual(graph["routing"], {"distribution": how, "choices": {"aten::topk": 1}})
            mine = sum(counts[8:16]) * world  # each rank sends to rank 1 as much as that to itself
            exchange = [n for n in graph["nodes"] if n["op"] == "all_to_all"][-1]
            self.assertEqual((exchange["in_elements"], exchange["out_elements"]), (tokens * most * 64, mine * 64))
        self.assertIn("a routing is `balanced`", self.trace(1, [self.script(EXPERTS)], "--routing", "zipf", status=2).stderr)

    def test_choices(self):
        for count, most, exponent in ((8, 1, 0), (8, 2, 0), (16, 4, 0.5), (64, 8, 2)):
            weights = torch.arange(1, count + 1, dtype=torch.float64) ** -exponent
            dealt = routing.choices(2048, most, weights)
            self.assertTrue(all(len(set(row)) == most for row in dealt.tolist()))
            wanted = routing.shares(weights, most)
            self.assertAlmostEqual(float(wanted.sum()), most)
            self.assertLess(float((torch.bincount(dealt.reshape(-1), minlength=count) / 2048 - wanted).abs().max()), 0.003)

    def test_large_model_in_little_memory(self):
        """A rank with 12 GB of parameters; nothing of it is touched."""
        done = self.trace(8, GPT + ["--layers", "8", "--hidden", "8192", "--heads", "64", "--sequence", "1024", "--vocabulary", "50304", "--steps", "1"], "--ranks", "0")
        self.assertEqual(done.returncode, 0)
        graph = read(self.folder, "traced", 0)
        self.assertNotIn("computed", graph)
        parameters = sum(m["bytes"] for m in graph["memory"] if m["category"] == "parameters" and m["bytes"] > 0)
        self.assertGreater(parameters, 6e9)

    def test_out_of_memory(self):
        done = self.trace(8, GPT, "--ranks", "0", "--memory", "600KB", status=3)
        self.assertRegex(done.stderr, r"rank 0 runs out of memory in aten::\w+ of blocks\.\d\S*, forward, node \d+: \d+ bytes asked for, \d+ of 600000 held")
        self.assertRegex(done.stderr, r"parameters +0\.230 MiB")
        short = read(self.folder, "traced", 0)["out_of_memory"]
        self.assertTrue(short["op"].startswith("aten::"))

    def test_computed_losses_are_those_of_one_process(self):
        """Recording changes no number."""
        script = [self.script(LOSS)]
        plain = subprocess.run([REAL, *script], env=environment(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT=free_port()), capture_output=True,
                               text=True, timeout=LIMIT)
        traced = self.trace(1, script, "--compute")
        self.assertEqual(plain.stdout, traced.stdout)
        self.assertRegex(plain.stdout, r"loss 0\.\d*[1-9]")

    def test_timed(self):
        """By Python as users start it, which imports PyTorch itself."""
        self.trace(1, [self.script(LOSS)], "--timed", python=sys.executable)
        nodes = read(self.folder, "traced", 0)["nodes"]
        self.assertTrue(all(n["ns"] > 0 for n in nodes if "comm" not in n))

    def test_timed_step_is_a_model(self):
        """Operators say which tensors they take and give, and of which operator a backward is."""
        self.trace(1, [self.script(LOSS)], "--timed")
        graph = read(self.folder, "traced", 0)
        nodes, tensors = [n for n in graph["nodes"] if "comm" not in n], {t["id"]: t for t in graph["tensors"]}
        made = {}
        for node in nodes:
            for side, numbers in (("in", "takes"), ("out", "gives")):
                self.assertEqual([tensors[n]["tensor"] for n in node[numbers]], node[side])
            made.update({n: node for n in node["gives"]})
        back = [n for n in nodes if n["phase"] == "backward"]
        self.assertTrue(back and all("gradient_of" in n for n in back))
        for node in back:
            of = node["gradient_of"]
            self.assertTrue(tensors[of].get("is") == "parameter" or "of" in tensors[of] or made[of]["phase"] == "forward")
        for forward, backward in (("addmm", "mm"), ("gelu", "gelu_backward")):
            pairs = {made[n["gradient_of"]]["op"] for n in back if n["op"] == "aten::" + backward and n["gradient_of"] in made}
            self.assertTrue(not pairs or "aten::" + forward in pairs, pairs)
        if os.environ.get("TRAINSPEC"):  # and it makes a table whose rows hold the model's parameters
            table = subprocess.run([os.environ["TRAINSPEC"], "table", "--model", str(self.folder / "traced.0.json")], capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual(table.returncode, 0, table.stderr)
            rows = [line for line in table.stdout.splitlines() if "[[" in line]
            self.assertEqual([row[row.index("[["):].rstrip('"') for row in rows], ["[[128],[128,64]]", "[[128],[128]]", "[[64],[64,128]]"])
            self.assertEqual([row.split(",")[0] for row in rows], ["0", "2", "3"])

    def test_one_rank_alone_is_a_model(self):
        """Its graph says which tensors operators take and give, without times too; those of more ranks do not."""
        self.trace(1, [self.script(LOSS)])
        graph = read(self.folder, "traced", 0)
        self.assertTrue(graph["tensors"] and all("takes" in n for n in graph["nodes"] if "comm" not in n))
        self.assertTrue(all("gradient_of" in n for n in graph["nodes"] if n["phase"] == "backward"))
        if os.environ.get("TRAINSPEC"):
            table = subprocess.run([os.environ["TRAINSPEC"], "table", "--model", str(self.folder / "traced.0.json")], capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual(table.returncode, 0, table.stderr)
            self.assertIn("# times: none", table.stdout)

    def test_script_that_fails(self):
        done = self.trace(2, [self.script("raise ValueError('of the script')")], status=1)
        self.assertIn("of the script", done.stderr)
        self.assertIn("rank 0: the script failed", done.stderr)
        self.assertEqual(list(self.folder.glob("traced.*")), [])

    def test_operator_that_fails(self):
        """The message names it, the formats and shapes of what it was given, and where; an exception that only comes after it is the script's."""
        body = "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x @ torch.ones(4, 5)\n"
        done = self.trace(1, [self.script(body + "M()(torch.ones(2, 3))")], status=1)
        self.assertIn("aten::mm of float32 [2, 3], float32 [4, 5], forward, failed", done.stderr)
        done = self.trace(1, [self.script(body + "try:\n    M()(torch.ones(2, 3))\nexcept RuntimeError:\n    pass\nraise SystemError('of the script')")], status=1)
        self.assertNotIn("aten::mm of", done.stderr)

    def test_ends_that_leave_no_graph(self):
        """Exit codes of scripts are not taken for the tracer's own, whatever they are."""
        for text, status, message in (("import sys; sys.exit(3)", 1, "failed, exit 3"), ("import sys; sys.exit(75)", 1, "failed, exit 75"), ("import sys; sys.exit('no 2 gpus')", 1, "no 2 gpus"),
                                      ("import os; os._exit(0)", 1, "os._exit"), ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 1, "ended by SIGKILL"),
                                      ("import sys; sys.exit(0)", 4, "did it end early?"), (PROCESSES, 4, "it started 2 processes of its own")):
            done = self.trace(1, [self.script(text)], status=status)
            self.assertIn(message, done.stderr)
            self.assertEqual(list(self.folder.glob("traced.*")), [])

    def test_three_lines(self):
        script = self.script(THREE_LINES)
        subprocess.run([PYTHON, script], env=environment(RANK="1", WORLD_SIZE="4"), cwd=self.folder, check=True, timeout=LIMIT)
        graph = read(self.folder, "mine", 1)
        self.assertEqual((graph["rank"], graph["world"]), (1, 4))
        self.assertEqual([n["op"] for n in graph["nodes"] if "comm" in n], ["all_reduce"])


class Overlap(unittest.TestCase):
    def test_kernels_are_rebuilt(self):
        """What the bench would run on a GPU gives what shapes say."""
        for op, given in overlap.USUAL:
            small = [[dtype, [min(n, 16) for n in shape]] for dtype, shape in given]
            tensors = [torch.randn(shape) for _, shape in small]
            family, run, flops = overlap.run_of(op, tensors)
            out = run()
            self.assertEqual((out[0] if isinstance(out, tuple) else out).shape[-1], tensors[-1].shape[-1])
            self.assertGreater(flops, 0)
        self.assertIsNone(overlap.run_of("aten::embedding", [torch.ones(2, 2)]))

    def test_skipped_without_a_gpu(self):
        if torch.cuda.is_available():
            self.skipTest("there is a GPU")
        done = tracer("overlap")
        self.assertEqual((done.returncode, done.stderr), (0, "trainspec-trace overlap: skipped, there is no GPU\n"))


class Files(Folder):
    def test_all_ranks_are_written_or_none(self):
        def path(graph):
            return str(self.folder / f"g.{graph['rank']}.json")

        def content():
            return {p.name: p.read_text() for p in self.folder.iterdir() if p.is_file()}

        def job(step, ranks=4):
            return [{"format": "trainspec-graph", "version": 1, "rank": r, "step": step} for r in range(ranks)]

        graphs.write(job(1, 2), path)
        before = content()
        self.assertEqual(sorted(before), ["g.0.json", "g.1.json"])
        (self.folder / "g.3.json").mkdir()  # cannot take its place
        with self.assertRaises(OSError):
            graphs.write(job(2), path)
        self.assertEqual(content(), before)
        (self.folder / "g.3.json").rmdir()
        (self.folder / "g.2.json.part").mkdir()  # cannot be written
        with self.assertRaises(OSError):
            graphs.write(job(2), path)
        self.assertEqual(content(), before)
        (self.folder / "g.2.json.part").rmdir()
        graphs.write(job(2), path)
        self.assertEqual(sorted(content()), [f"g.{r}.json" for r in range(4)])
        self.assertEqual({graphs.read(path({"rank": r}))["step"] for r in range(4)}, {2})


class Command(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual([size(t) for t in ("80GiB", "80GB", "1.5K", "7")], [80 << 30, 80 * 10**9, 1500, 7])

    def test_words(self):
        self.assertEqual(split(["-q", "--", "python", "--", "x"]), (["-q"], ["python", "--", "x"]))
        self.assertEqual(ranks_of("0,4-6", 8), [0, 4, 5, 6])

    def test_wrong_usage(self):
        for arguments, message in ((["--world", "2"], "no command"), (["--", "python", "x.py"], "how many ranks"), (["--world", "2", "--", "bash", "x"], "begins with python"),
                                (["--world", "2", "--ranks", "5", "--", "python", "x.py"], "ranks 0 to 1"), (["--world", "2", "-o", "x.json", "--", "python", "x.py"], "{rank}"), (["--world", "1", "--step", "-1", "--", "python", "x.py"], "--step takes")):
            done = tracer(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_one_place_of_each_tensor_group_that_differs(self):
        """Six of 32 ranks are traced where the first of every four neighbours does more than the others, and all are what they would be by themselves."""
        inner, outer = ([list(range(32))[at:at + 4] for at in range(0, 32, 4)], [list(range(at, 32, 4)) for at in range(4)])
        groups = [{"id": i, "ranks": ranks} for i, ranks in enumerate([list(range(32)), *inner, *outer])]
        traced = []

        def graph(rank):
            own = next(g["id"] for g in groups if len(g["ranks"]) == 8 and rank in g["ranks"])
            ops = ["copy", "sum"] if rank % 4 == 0 else ["sum"]
            return {"rank": rank, "world": 32, "groups": groups, "streams": [], "nodes": [{"id": i, "op": op, "group": own} for i, op in enumerate(ops)]}

        out = alike.trace_all(32, lambda rank: traced.append(rank) or graph(rank))
        self.assertEqual(len(traced), 6)
        self.assertEqual([dict(g, like=None) for g in out], [dict(graph(rank), like=None) for rank in range(32)])

    def test_groups_are_renamed(self):
        graph = {"rank": 0, "world": 4, "groups": [{"id": 0, "ranks": [0, 1]}, {"id": 1, "ranks": [2, 3]}, {"id": 2, "ranks": [0, 2]}, {"id": 3, "ranks": [1, 3]}],
                 "streams": [], "nodes": [{"id": 0, "group": 0}, {"id": 1, "group": 2, "peer": 2}]}
        self.assertEqual(alike.derive(graph, 1)["nodes"], [{"id": 0, "group": 0}, {"id": 1, "group": 3, "peer": 3}])
        self.assertEqual(alike.derive(graph, 3)["nodes"][0], {"id": 0, "group": 1})


DDP = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
names = [None] * dist.get_world_size()
dist.all_gather_object(names, f"host {dist.get_rank()}")
box = [{"seed": 7} if dist.get_rank() == 0 else None]
dist.broadcast_object_list(box)
assert box[0]["seed"] == 7 and len(names) == dist.get_world_size()
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 64))
model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(3):
    loss = model(torch.randn(16, 64)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""

TWO_OPTIMIZERS = """
import torch
layers = torch.nn.ModuleList(torch.nn.Linear(32, 32, bias=False) for _ in range(2))
optimizers = [torch.optim.SGD(layer.parameters(), lr=0.1) for layer in layers]
x = torch.ones(32, 32)
for step in range(TWO):
    for layer, optimizer in zip(layers, optimizers):
        if APART or optimizer is optimizers[0]:
            layers[0](x).sum().backward()
        optimizer.step()
"""

COLLECTIVES = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
rank, x = dist.get_rank(), torch.ones(8, 8)
dist.all_reduce(x)
dist.reduce(x, 1)
dist.broadcast(x, 0)
parts = [torch.empty(8, 8) for _ in range(2)]
dist.all_gather(parts, x)
dist.gather(x, parts if rank == 0 else None, dst=0)
dist.scatter(x, parts if rank == 1 else None, src=1)
dist.barrier()
shape = torch.tensor([5 * (rank + 1), 3])  # the other rank receives what to expect, as pipelines do
if rank == 0:
    dist.send(shape, 1)
    dist.send(torch.ones(5, 3), 1, tag=4)
else:
    dist.recv(shape, 0)
    y = torch.empty(*shape.tolist())
    dist.recv(y, 0, tag=4)
    y.sin()
works = [dist.all_reduce(torch.ones(16), async_op=True) for _ in range(3)]
for work in works:
    work.wait()
for i in range(12):
    x = x.cos()
"""

EXPERTS = """
import torch, torch.distributed as dist, torch.nn.functional as F
dist.init_process_group("gloo")
TOKENS, WIDTH, EXPERTS, MOST, world = 4096, 64, 32, 2, dist.get_world_size()
gate, up = torch.nn.Linear(WIDTH, EXPERTS), torch.nn.Linear(WIDTH, 4 * WIDTH)
x = torch.randn(TOKENS, WIDTH)
scores = gate(x)
weights, experts = F.softmax(scores, -1).topk(MOST, -1)
mask = torch.zeros_like(scores).scatter_(1, experts, 1.0).bool()
counts = mask.sum(0)
assert counts.tolist() == F.one_hot(experts, EXPERTS).sum((0, 1)).tolist() == torch.bincount(experts.reshape(-1), minlength=EXPERTS).tolist()
assert x[mask[:, 3]].shape == (counts[3], WIDTH)
sent = counts.view(world, -1).sum(1)
received = torch.empty_like(sent)
dist.all_to_all_single(received, sent)
mine = torch.empty(int(received.sum()), WIDTH)
dist.all_to_all_single(mine, x[experts.reshape(-1).argsort() // MOST], received.tolist(), sent.tolist())
up(mine)
print(counts.tolist())
"""

RING = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
mine = torch.ones(64, 64)
for turn in range(world):
    theirs = torch.empty(64, 64)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, mine, (rank + 1) % world), dist.P2POp(dist.irecv, theirs, (rank - 1) % world)])
    mine.sin()
    for work in works:
        work.wait()
    mine = theirs + 1
for _ in range(8):
    mine = mine.cos()
"""

CHECKPOINTED = """
import sys, torch, torch.distributed as dist
from torch.utils.checkpoint import checkpoint
dist.init_process_group("gloo")

class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = torch.nn.LayerNorm(64), torch.nn.Linear(64, 256), torch.nn.Linear(256, 64)

    def forward(self, x):
        return x + self.down(torch.nn.functional.dropout(torch.relu(self.up(self.norm(x))), 0.1))

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks, self.head = torch.nn.ModuleList(Block() for _ in range(3)), torch.nn.Linear(64, 8)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=sys.argv[1] == "1")
        return self.head(x)

model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    model(torch.ones(512, 64, requires_grad=True)).sum().backward()
    optimizer.step()
"""

SYNCHRONIZED = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(64, 64).sin()
dist.all_reduce(x, async_op=True)
torch.cpu.synchronize()
x.cos()
torch.cpu.synchronize()
torch.cpu.synchronize()
"""

ODD = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(16, 16)
for _ in range(20):
    x = x.sin()
if dist.get_rank() == 0:
    x.cos()
dist.all_reduce(x)
"""

WAITS = """
import torch, torch.distributed as dist
dist.init_process_group("nccl")
assert dist.get_backend() == "nccl"
x = torch.ones(16).sin()
work = dist.all_reduce(x, async_op=True)
y = torch.ones(16).cos()
work.wait()
x.tanh()
"""

LOSS = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.GELU(), torch.nn.LayerNorm(128), torch.nn.Linear(128, 64))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.randn(32, 64)
for step in range(3):
    loss = (model(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    dist.all_reduce(model[0].weight.grad)
    optimizer.step()
    print(f"loss {loss.item():.9f}")
"""

NCU = """==PROF== Connected to process 12
"ID","Process ID","Process Name","Host Name","Kernel Name","Device","Section Name","Metric Name","Metric Unit","Metric Value"
"0","12","python","h","void add<(int)4, float>(float *, int)","0","GPU Speed Of Light Throughput","Duration","us","12.5"
"0","12","python","h","void add<(int)4, float>(float *, int)","0","GPU Speed Of Light Throughput","Memory Throughput","%","81.5"
"0","12","python","h","void add<(int)4, float>(float *, int)","0","Memory Workload Analysis","Memory Throughput","Gbyte/second","2,011.5"
"0","12","python","h","void add<(int)4, float>(float *, int)","0","Occupancy","Achieved Occupancy","%","50"
"1","12","python","h","void add<(int)4, float>(float *, int)","0","GPU Speed Of Light Throughput","Duration","us","1,250"
"1","12","python","h","void add<(int)4, float>(float *, int)","0","Occupancy","Achieved Occupancy","%","90"
"""
RAW = """"ID","Kernel Name","device__attribute_display_name","gpu__time_duration.sum","lts__t_sector_hit_rate.pct","sm__warps_active.avg.pct_of_peak_sustained_active"
"","","","ns","%","%"
"0","gemm","NVIDIA H800","40,000","62.5","n/a"
"""
ROWS = """source,slowdown,family,time,occupancy,gpu,kernel
a,1.3,elementwise,1.1e-05,,,"void add<4, float>(float*, int)"
a,1.2,elementwise,0.002,,,"void add<4, float>(float*, int)"
a,1.1,elementwise,0.002,0.25,,"void add<4, float>(float*, int)"
a,1.4,gemm,4e-05,,,gemm
a,1.5,gemm,4e-05,,,other
"""


class Metrics(Folder):
    """Both forms of Nsight Compute's CSV, joined to rows by names and times of kernels."""
    def join(self, ncu, *options, status=0, rows=ROWS):
        for name, text in (("ncu.csv", ncu), ("rows.csv", rows)):
            (self.folder / name).write_text(text)
        done = tracer("metrics", "rows.csv", "--ncu", "ncu.csv", "-o", "out.csv", *options, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        return (self.folder / "out.csv").read_text().splitlines() if status == 0 else done.stderr

    def test_a_line_for_each_metric(self):
        lines = self.join(NCU, "--gpu", "h800", "--cuda", "12.1")
        self.assertEqual(lines[0], "source,slowdown,family,time,occupancy,gpu,kernel,compute,memory,dram,l1,l2,cuda")
        self.assertEqual(lines[1], 'a,1.3,elementwise,1.1e-05,0.5,h800,"void add<4, float>(float*, int)",,0.815,,,,12.1')
        self.assertEqual([line.split(",")[4] for line in lines[2:]], ["0.9", "0.25", "", ""])

    def test_a_line_for_each_kernel(self):
        self.assertEqual(self.join(RAW)[4:], ["a,1.4,gemm,4e-05,,NVIDIA H800,gemm,,,,,0.625,", "a,1.5,gemm,4e-05,,,other,,,,,,"])

    @unittest.skipUnless(os.environ.get("TRAINSPEC"), "no program")
    def test_rows_are_read(self):
        self.join(NCU, "--gpu", "h800", rows=ROWS.splitlines()[0] + "\n" + "".join(ROWS.splitlines(True)[1:] * 3))
        done = subprocess.run([os.environ["TRAINSPEC"], "fit", "slowdown", "out.csv", "--pairs", "-"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.stdout.splitlines()[1].count("h800"), 1, done.stderr)

    def test_refused(self):
        self.assertIn("no column `Kernel Name`", self.join("a,b\n1,2\n", status=1))
        self.assertIn("line 9 has 3 cells", self.join(NCU + '"1","12","py', status=1))
        self.assertIn("no columns `slowdown` and `kernel`", self.join(NCU, rows="slowdown\n1.1\n", status=1))


EVENTS = """
import trainspec_tracer
from trainspec_tracer.redirect import watch_events
trace = trainspec_tracer.start(0, 1)
import torch

class Stream:
    cuda_stream = 7

class Event:
    def record(self, stream=None): pass
    def wait(self, stream=None): pass
    def synchronize(self): pass

recorder, side, event, done = trace.recorder, Stream(), Event(), Event()
watch_events(Event, recorder)
x = torch.ones(4)
with recorder.paused():
    y = x.clone()
recorder.nodes.clear(), recorder.last.clear()
y.sin()
recorder.add("copy", recorder.stream_number(side), {})
event.record(None)
y.cos()
event.wait(side)
recorder.add("copy", recorder.stream_number(side), {})
done.record(side)
done.wait()
y.tan()
done.synchronize()
done.synchronize()  # nothing to wait for any more
trace.write("mine.{rank}.json")
"""

THREE_LINES = """
import trainspec_tracer
trace = trainspec_tracer.start()
import torch, torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(64, 64) @ torch.ones(64, 64)
dist.all_reduce(x)
trace.write("mine.{rank}.json")
"""

LONG = """
import torch
layers = [torch.nn.Linear(64, 64) for _ in range(2)]
optimizers = [torch.optim.SGD(layer.parameters(), lr=0.1) for layer in layers]
for step in range(1000000):
    loss = layers[1](layers[0](torch.randn(512, 64))).mean()
    print(step)
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()
"""

PROCESSES = """
import multiprocessing
multiprocessing.set_start_method("fork")
started = [multiprocessing.Process(target=print) for _ in range(2)]
for process in started:
    process.start()
for process in started:
    process.join()
"""
