"""Trainers on the stand-in for cuda, with the stand-in for transformer_engine. MEGATRON_LM names a folder with NVIDIA/Megatron-LM core 0.11, TRANSFORMERS one with the packages transformers,
accelerate and huggingface_hub, if they are not installed."""
import collections
import importlib.util
import os
import subprocess
import unittest

import torch

from test_tracer import LIMIT, PYTHON, SCRIPTS, Folder, environment, read

RECENT = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 6)
MEGATRON = os.environ.get("MEGATRON_LM")
TRANSFORMERS = os.environ.get("TRANSFORMERS", "")


def calls(graph):
    """How often each collective of more than 8 bytes is called: (kind, bytes, ranks)."""
    return collections.Counter((n["op"], n["bytes"], len(graph["groups"][n["group"]]["ranks"])) for n in graph["nodes"] if "comm" in n and n["op"] not in ("send", "recv") and n["bytes"] > 8)


def products(graph):
    """Of the products: twice the multiplications."""
    total = 0
    for node in graph["nodes"]:
        if node["op"] in ("aten::mm", "aten::addmm", "aten::addmm_", "aten::_scaled_mm"):
            (rows, inner), (_, columns) = (shape for _, shape in node["in"][-2:])
            total += 2 * rows * inner * columns
    return total


@unittest.skipUnless(RECENT, f"PyTorch {torch.__version__}: these are for 2.6 and later")
class TransformerEngine(Folder):
    def layer(self, *arguments):
        self.trace(2, [str(SCRIPTS / "transformer.py"), *arguments], "--ranks", "0", "--device", "h100_sxm")
        graph = read(self.folder, "traced", 0)
        self.assertEqual(graph["packages"], ["transformer_engine"])
        return graph

    def test_layer(self):
        """Closed forms of a layer: two products of columns and two of rows, each gathered and scattered once a way, columns once more for their weights; three times the forward's FLOP."""
        graph = self.layer()
        tokens, hidden, inner = 64 * 2, 64, 256
        self.assertEqual(products(graph), 3 * 2 * tokens * hidden * (4 * hidden + 3 * inner) // 2)
        self.assertEqual(calls(graph), {("all_gather", 2 * tokens * hidden, 2): 2 + 2 + 2, ("reduce_scatter", 2 * tokens * hidden, 2): 2 + 2})
        kinds = collections.Counter((n["op"], n["phase"]) for n in graph["nodes"])
        for op in ("aten::_scaled_dot_product_cudnn_attention", "aten::_fused_rms_norm"):
            for name, phase in ((op, "forward"), (op + "_backward", "backward")):
                self.assertEqual(kinds[name, phase], 1 if "attention" in op else 2)

    def test_layer_in_8_bits(self):
        """The same products; what is gathered for one is cast first, and has a byte an element. The greatest values of three tensors of each layer, and of two backward, are shared."""
        graph, plain = self.layer("--fp8"), self.layer()
        tokens, hidden = 64 * 2, 64
        self.assertEqual(products(graph), products(plain))
        self.assertEqual({n["op"] for n in graph["nodes"] if n["op"].endswith("mm")}, {"aten::_scaled_mm"})
        self.assertEqual(calls(graph), {("all_gather", tokens * hidden, 2): 2 + 2 + 2, ("reduce_scatter", 2 * tokens * hidden, 2): 2 + 2, ("all_reduce", 4 * 3 * 3, 2): 1, ("all_reduce", 4 * 2 * 3, 2): 1})

    def test_what_it_lacks(self):
        for text, said in (("te.Linear(4, 4, ub_overlap_ag=True, device='cpu')", "no userbuffers: ub_overlap_ag"), ("te.DotProductAttention(1, 4)(*[torch.ones(2, 1, 4)] * 3, qkv_format='thd')", "packed sequences")):
            done = self.trace(1, [self.script(f"import torch, transformer_engine.pytorch as te\n{text}\n")], "--device", "h100_sxm", status=1)
            self.assertIn(said, done.stderr)


@unittest.skipUnless(RECENT, f"PyTorch {torch.__version__}: these are for 2.6 and later")
@unittest.skipUnless(MEGATRON, "MEGATRON_LM names no folder with NVIDIA/Megatron-LM")
class Megatron(Folder):
    LAYERS, HIDDEN, HEADS, SEQUENCE, MICRO, BATCH, VOCABULARY = 4, 256, 8, 512, 2, 16, 1024
    SCRIPT = f"""--num-layers {LAYERS} --hidden-size {HIDDEN} --num-attention-heads {HEADS} --seq-length {SEQUENCE} --max-position-embeddings {SEQUENCE} --micro-batch-size {MICRO} --global-batch-size {BATCH}
        --train-iters 3 --lr 1e-4 --min-lr 1e-5 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size {VOCABULARY} --no-gradient-accumulation-fusion --eval-iters 0 --eval-interval 1000
        --split 100,0,0 --transformer-impl transformer_engine""".split()

    def pretrain(self, *arguments):
        done = subprocess.run([PYTHON, "-m", "trainspec_tracer", "--device", "h100_sxm", "--packages", "transformer_engine", "--values", "take", "--ranks", "0",
                               "-o", str(self.folder / "traced.{rank}.json"), "--", "torchrun", "--nproc_per_node=8", os.path.join(MEGATRON, "pretrain_gpt.py"), *self.SCRIPT, *arguments],
                              env={**environment(CUDA_DEVICE_MAX_CONNECTIONS="1"), "PYTHONPATH": os.pathsep.join([environment()["PYTHONPATH"], MEGATRON])}, capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        return read(self.folder, "traced", 0)

    def test_tensor_sequence_and_pipeline_parallel(self):
        """Rank 0 of tensor, pipeline and data parallelism of 2: the embedding and the first half of the layers, 4 micro-batches."""
        graph = self.pretrain("--tensor-model-parallel-size", "2", "--pipeline-model-parallel-size", "2", "--sequence-parallel")
        micro_batches, layers = self.BATCH // self.MICRO // 2, self.LAYERS // 2
        tokens = self.MICRO * self.SEQUENCE
        whole = 2 * tokens * self.HIDDEN  # bytes of an activation
        self.assertEqual(products(graph), 3 * micro_batches * layers * 2 * tokens * 12 * self.HIDDEN ** 2 // 2)
        found = calls(graph)
        gathers = micro_batches * (layers * (2 + 2 + 2) + 1)  # forward; for weights and for gradients of rows backward; the gradient of the embedding, of which each has cut its part
        self.assertEqual((found["all_gather", whole, 2], found["reduce_scatter", whole, 2]), (gathers, micro_batches * layers * (2 + 2)))
        messages = collections.Counter((n["op"], n["bytes"]) for n in graph["nodes"] if n["op"] in ("send", "recv"))
        self.assertEqual(messages, {("send", whole // 2): micro_batches, ("recv", whole // 2): micro_batches})

    def test_experts(self):
        """A step of two optimizers, of experts and of the rest, is one. Experts are chosen in turn, so that each has its share of the tokens."""
        graph = self.pretrain("--num-experts", "4", "--expert-model-parallel-size", "2", "--moe-grouped-gemm", "--moe-token-dispatcher-type", "alltoall", "--disable-bias-linear", "--use-distributed-optimizer")
        micro_batches, tokens = self.BATCH // self.MICRO // 8, self.MICRO * self.SEQUENCE
        inner, rows = 4 * self.HIDDEN, tokens * 2 // 4 * 2  # two experts of four here, with the tokens of two ranks
        found = calls(graph)
        self.assertEqual(found["all_to_all", 2 * 2 * tokens * self.HIDDEN, 2], micro_batches * self.LAYERS * 2 * 2)
        experts = [n["in"] for n in graph["nodes"] if n["op"] == "aten::mm" and n["phase"] == "forward" and n["in"][1][1] in ([self.HIDDEN, inner], [inner, self.HIDDEN])]
        self.assertEqual(len(experts), micro_batches * self.LAYERS * 2 * 2)
        self.assertEqual({given[0][1][0] for given in experts}, {rows})


@unittest.skipUnless(RECENT, f"PyTorch {torch.__version__}: these are for 2.6 and later")
@unittest.skipUnless(TRANSFORMERS or importlib.util.find_spec("transformers"), "transformers is not installed, and TRANSFORMERS names no folder with it")
class Transformers(Folder):
    LAYERS, HIDDEN, SEQUENCE, VOCABULARY, BATCH, ACCUMULATE = 2, 128, 64, 512, 2, 2
    PARAMETERS = (VOCABULARY + SEQUENCE) * HIDDEN + LAYERS * (12 * HIDDEN**2 + 13 * HIDDEN) + 2 * HIDDEN

    def trainer(self, world, *arguments):
        script = [str(SCRIPTS / "hf_trainer.py"), "--output", str(self.folder / "out"), *arguments]
        done = subprocess.run([PYTHON, "-m", "trainspec_tracer", "--device", "h100_sxm", "--world", str(world), "-o", str(self.folder / "traced.{rank}.json"), "--", PYTHON, *script],
                              env={**environment(), "PYTHONPATH": os.pathsep.join([environment()["PYTHONPATH"], TRANSFORMERS])}, capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        return read(self.folder, "traced", world - 1)

    def test_trainer(self):
        """The trainer asks whether losses are finite, and writes them to a file: neither refuses a trace. Parameters and products are those of the closed form."""
        for arguments in ((), ("--bf16",)):
            graph = self.trainer(1, *arguments)
            tokens = self.BATCH * self.SEQUENCE
            self.assertEqual(products(graph), self.ACCUMULATE * 3 * 2 * tokens * (12 * self.HIDDEN**2 * self.LAYERS + self.VOCABULARY * self.HIDDEN))
            self.assertEqual(sum(part["bytes"] for part in graph["held"] if part["category"] == "parameters"), 4 * self.PARAMETERS)
            self.assertFalse([at for at in graph["values"] if at.get("decides")])

    def test_trainer_of_two_ranks(self):
        """DDP that looks for unused parameters: their gradients once a step, in the last micro-batch, and which were used."""
        graph = self.trainer(2)
        reduced = [n["bytes"] for n in graph["nodes"] if n["op"] == "all_reduce" and n["phase"] == "backward"]
        self.assertEqual(sum(reduced[:-1]), 4 * self.PARAMETERS)
        self.assertEqual(reduced[-1], 4 * (2 + 12 * self.LAYERS + 2))
