"""Stand-ins for packages that are not there."""
import pathlib
import tempfile
import importlib.util
import unittest

from test_tracer import Folder, read
from trainspec_tracer import packages
from trainspec_tracer.packages import datasets, nothing, softmax, tokenizers, tokens, transformers


class Parts(unittest.TestCase):
    def test_nothing(self):
        none = nothing.Nothing("wandb")
        with none.init(project="x") as run:
            run.log({"loss": 1})
        self.assertEqual((list(none.history), len(none.runs), repr(none.a.b)), ([], 0, "<stand-in for wandb.a.b>"))
        self.assertIs(none.watch(test := lambda: 7), test)

        class Callback(none.Callback):
            pass

        self.assertEqual(Callback.__mro__, (Callback, object))
        with self.assertRaisesRegex(TypeError, r"the stand-in for wandb.summary has no value"):
            float(none.summary)

    def test_rows(self):
        rows = datasets.load_dataset("nyu-mll/glue", "mrpc")
        words = rows.map(lambda part: {"length": [len(s) for s in part["sentence1"]]}, batched=True, remove_columns=["idx", "sentence2"]).rename_column("label", "labels")
        self.assertEqual(words["train"].column_names, ["sentence1", "labels", "length"])
        self.assertEqual(words["train"]["length"], [len(s) for s in rows["train"]["sentence1"]])
        self.assertEqual(rows["train"][0], datasets.load_dataset("glue", "mrpc", split="train")[0])
        stream = datasets.load_dataset("c4", name="en", split="train", streaming=True)
        shares = [datasets.split_dataset_by_node(stream, rank, 4) for rank in range(4)]
        self.assertEqual(sum(len(share) for share in shares), len(stream))
        self.assertIsInstance(shares[0].skip(1), datasets.IterableDataset)

    def test_rows_of_files(self):
        with tempfile.TemporaryDirectory() as folder:
            text, lines, table = (pathlib.Path(folder) / name for name in ("a.txt", "b.json", "c.csv"))
            text.write_text("one\n\nthree\n" * 10)
            lines.write_text('{"text": "one"}\n{"text": "two"}\n')
            table.write_text("text,label\n\"a, b\",1\n")
            whole = datasets.load_dataset("text", data_files={"train": str(text)})
            self.assertEqual((list(whole), whole["train"]["text"][:4]), (["train"], ["one", "", "three", "one"]))
            parts = [datasets.load_dataset("text", data_files={"train": str(text)}, split=f"train[{part}]") for part in (":10%", "10%:")]
            self.assertEqual([len(part) for part in parts], [3, 27])
            self.assertEqual(datasets.load_dataset("json", data_files=[str(lines)], split="train")["text"], ["one", "two"])
            self.assertEqual(datasets.load_dataset("csv", data_files=str(table))["train"][0], {"text": "a, b", "label": "1"})

    def test_added_tokens(self):
        token, other = tokenizers.AddedToken("<end>", lstrip=True), tokenizers.AddedToken()
        other.__setstate__(token.__getstate__())
        self.assertEqual((other, str(other), len({token, other})), (token, "<end>", 1))

    def test_tokens(self):
        self.assertEqual(tokens.get_encoding("gpt2").n_vocab, 50257)
        text = "Grüße"
        self.assertEqual(tokens.get_encoding("gpt2").decode(tokens.get_encoding("gpt2").encode(text)), text)
        batch = transformers.AutoTokenizer.from_pretrained("bert-base-cased")(["one", "three"], ["a", "bc"], padding=True, return_tensors="pt")
        self.assertEqual(batch["attention_mask"].sum(1).tolist(), [3 + 1 + 3, 5 + 2 + 3])
        self.assertEqual(batch["token_type_ids"].sum(1).tolist(), [2, 3])

    def test_sizes_of_bert(self):
        sizes = dict(transformers.SIZES)
        for name, parameters in (("bert-base-cased", 108_311_810), ("bert-base-uncased", 109_483_778)):  # as published, with a head of two classes
            words, width, layers, _, inner = sizes[name]
            layer = 4 * width * width + 4 * width + 2 * width * inner + inner + width + 4 * width
            whole = (words + 512 + 2) * width + 2 * width + layers * layer + width * width + width + 2 * width + 2
            self.assertEqual(whole, parameters)
        try:
            transformers.SIZES["tiny"] = (64, 32, 2, 4, 64)
            made = sum(p.numel() for p in transformers.AutoModelForSequenceClassification.from_pretrained("tiny").parameters())
        finally:
            del transformers.SIZES["tiny"]
        layer = 4 * 32 * 32 + 4 * 32 + 2 * 32 * 64 + 64 + 32 + 4 * 32
        self.assertEqual(made, (64 + 512 + 2) * 32 + 2 * 32 + 2 * layer + 32 * 32 + 32 + 2 * 32 + 2)

    def test_rows_of_a_softmax(self):
        self.assertEqual([softmax.get_batch_per_block(0, keys, 0, 0) for keys in (16, 64, 128, 129, 2048)], [16, 8, 8, 4, 4])

    def test_table(self):
        """Each package of the table has what it names, and is asked for by what it wants."""
        for name, (version, file, what) in packages.TABLE.items():
            self.assertTrue(version and what and (file is None or (packages.FOLDER / file).is_file()), name)
        try:
            try:
                import no_such_package.part  # noqa: F401
            except ImportError as error:
                raise RuntimeError("please install") from error
        except RuntimeError as error:
            self.assertEqual(packages.missing(error), "no_such_package")
        self.assertIsNone(packages.missing(ValueError("x")))


class Scripts(Folder):
    @unittest.skipIf(any(importlib.util.find_spec(name) for name in ("apex", "mlflow", "wandb")), "packages that are to be wanted are installed")
    def test_wanted_and_optional(self):
        """What a script cannot do without is stood in for, and named; what it does without is not, unless it is asked for."""
        for options, said, status in (([], ["apex", "wandb"], 0), (["--packages", "mlflow,apex,wandb"], ["apex", "mlflow", "wandb"], 0), (["--packages", "none"], None, 1)):
            done = self.trace(1, [self.script(IMPORTS)], "--step", "0", *options, status=status)
            if said is None:
                self.assertIn("the script needs the package `wandb`, which is not there\n", done.stderr)
                continue
            self.assertEqual(read(self.folder, "traced", 0)["packages"], said)
            self.assertEqual(done.stdout, f"mlflow {'mlflow' in said} 0.1\n")
            self.assertEqual("the package apex is not there: a stand-in has optimizers and norms" in done.stderr, not options)
            (self.folder / "traced.0.json").unlink()
        self.assertEqual(list(self.folder.glob("traced.*")), [])
        done = self.trace(1, [self.script("import no_such_package")], status=1)
        self.assertIn("needs the package `no_such_package`, which is not there, and for which there is no stand-in", done.stderr)
        done = self.trace(1, [self.script("")], "--packages", "numpi", status=2)
        self.assertIn("no stand-in for the package `numpi`: amp_C, apex, ", done.stderr)

    def test_kernels_of_triton(self):
        self.trace(1, [self.script(KERNEL)], "--step", "0", "--packages", "triton", "--values", "take")
        graph = read(self.folder, "traced", 0)
        self.assertEqual([(n["op"], n["in"]) for n in graph["nodes"] if n["op"].startswith("triton")], [("triton::double", [["float32", [512, 512]], ["float32", [512, 512]]])])
        self.assertEqual([at["line"] for at in graph["values"]], [15])


IMPORTS = """
import importlib.metadata, torch
try:
    import mlflow
except ImportError:
    mlflow = None
import wandb
from apex.optimizers import FusedSGD
wandb.init().log({"loss": 0})
x = torch.nn.Parameter(torch.ones(64, 64))
x.sum().backward()
FusedSGD([x], lr=1.0).step()
print("mlflow", mlflow is not None, importlib.metadata.version("apex"))
"""

KERNEL = """
import torch, triton
import triton.language as tl

@triton.autotune(configs=[triton.Config({"B": 64}, num_warps=4)], key=["n"])
@triton.jit
def double(x, y, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

x = torch.ones(512, 512)
y = torch.empty_like(x)
grid = lambda meta: (triton.cdiv(x.numel(), meta["B"]),)
double[grid](x, y, x.numel(), B=triton.next_power_of_2(100))
assert y.sum() == 0
"""
