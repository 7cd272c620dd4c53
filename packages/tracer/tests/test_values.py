"""Values that nobody computed, followed to the places of a script that go by them."""
import ctypes
import json
import math
import pickle
import unittest

import torch

from test_tracer import Folder, read
from trainspec_tracer import thin, values
from trainspec_tracer.thin import Schema


class Numbers(unittest.TestCase):
    """What Python works out from such a value knows where it is from."""

    def setUp(self):
        self.values = values.Values()
        self.number = values.marked(3.0, self.values)

    def test_arithmetic_is_that_of_plain_numbers(self):
        x, n = self.number, values.marked(7, self.values)
        for made, plain in ((x + 1, 4.0), (1 - x, -2.0), (2 * x / 4, 1.5), (x ** 2, 9.0), (-x, -3.0), (abs(-x), 3.0), (round(x), 3), (sum([x, x]), 6.0), (n // 2, 3), (n % 4, 3), (n + 0.5, 7.5)):
            self.assertIsInstance(made, values.Number)
            self.assertEqual(float(made), plain)
        self.assertEqual((f"{x:.2f} {n:d}", json.dumps([x, n]), math.sqrt(x + 1)), ("3.00 7", "[3.0, 7]", 2.0))
        self.assertIs(type(pickle.loads(pickle.dumps(x))), float)
        self.assertEqual(self.values.told, {})

    def test_comparisons_are_told(self):
        x = self.number
        if x > 2:
            self.assertFalse(x + 1 == 5)
        self.assertTrue(max(1.0, x) is x and bool(x))
        told = self.values.graph()
        self.assertEqual([(at["what"], at["times"], at["decides"]) for at in told],
                         [("comparison of a number", 1, True), ("comparison of a number", 1, True), ("comparison of a number", 1, True), ("truth of a number", 1, True)])
        self.assertEqual({at["file"].rpartition("/")[2] for at in told}, {"test_values.py"})

    def test_marks_follow_storages(self):
        whole = torch.zeros(8)
        self.values.mark(whole)
        part, fill = whole[2:4], torch.ops.aten.fill_.Scalar
        self.assertTrue(self.values.causes(part))
        self.values.computed(Schema(fill), (part, 1.0), {}, part)
        self.assertTrue(self.values.causes(whole))
        self.values.computed(Schema(fill), (whole, 1.0), {}, whole)
        self.assertFalse(self.values.causes(part))
        for _ in range(3000):  # places of storages that are gone are used again
            gone = torch.zeros(1)
            self.values.mark(gone)
            del gone
            self.assertFalse(self.values.causes(torch.zeros(1)))
        self.assertLess(len(self.values.marks), 2049)


class Untouched(unittest.TestCase):
    def test_room_in_the_heap_is_told(self):
        """A hole between blocks that are in use is given out again, whatever the threshold for mappings."""
        libc = ctypes.CDLL(None)
        if not hasattr(libc, "gnu_get_libc_version"):
            self.skipTest("the C library is not glibc")
        thin.fresh_memory()
        libc.malloc.restype = ctypes.c_void_p
        blocks = [libc.malloc(ctypes.c_size_t(15 << 10)) for _ in range(2000)]
        for block in blocks[1000:1990]:
            ctypes.memset(block, 0xff, 15 << 10)
            libc.free(ctypes.c_void_p(block))
        found = libc.malloc(ctypes.c_size_t(512 << 10))
        self.assertFalse(thin.untouched(found))
        mapped = libc.malloc(ctypes.c_size_t(1 << 30))
        self.assertTrue(thin.untouched(mapped))
        for block in [found, mapped, *blocks[:1000], *blocks[1990:]]:
            libc.free(ctypes.c_void_p(block))


class Places(Folder):
    def places(self, text, *options, world=1):
        self.trace(world, [self.script(text)], "--step", "0", "--values", "take", *options)
        return [(at["line"], at["what"], at["times"], at.get("decides", False)) for at in read(self.folder, "traced", 0).get("values", [])]

    def test_places_are_told(self):
        """Lines, how often, and what decides; else the script is refused, and no graph is written."""
        self.assertEqual(self.places(GOES_BY), [
            (4, "item()", 1, False), (5, "truth of a tensor", 1, True), (6, "item()", 3, False), (7, "float()", 1, False), (7, "numpy()", 1, False), (8, "tolist()", 1, False),
            (9, "comparison of a number", 2, True), (11, "truth of a tensor", 1, True), (12, "shape of nonzero", 1, True), (13, "shape of index", 1, True), (14, "equal()", 1, True),
            (15, "item()", 1, True)])
        (self.folder / "traced.0.json").unlink()
        done = self.trace(1, [self.script(GOES_BY)], "--step", "0", status=5)
        self.assertIn("script.py:9: comparison of a number, 2 times", done.stderr)
        self.assertNotIn("script.py:4:", done.stderr)
        self.assertEqual(list(self.folder.glob("traced.*")), [])

    def test_ordinary_steps(self):
        """Losses are finite, as asked; and what is written to a file decides nothing."""
        self.assertEqual(self.places(ORDINARY), [(4, "isinf()", 1, False), (4, "isnan()", 1, False), (5, "isfinite()", 1, False), (6, "item()", 1, False)])

    def test_known_values_are_not(self):
        self.assertEqual(self.places(KNOWN), [])

    def test_a_router_decides_as_stated(self):
        """Its choices move rows: what masks and counts of them decide is the routing's, and no place is told."""
        for text in ROUTERS:
            self.assertEqual(self.places(text), [])

    def test_choices_that_are_no_routing(self):
        """A word that is looked up in a table, and labels that are compared alone, decide by values that nobody computed, whoever asks."""
        for routing in ("balanced", "none"):
            self.assertEqual(self.places(DECODER, "--routing", routing), [(7, "index of embedding", 4, True), (10, "truth of a tensor", 5, True)])
        self.assertEqual(self.places(METRIC), [(4, "truth of a tensor", 1, True), (5, "tolist()", 1, False), (6, "comparison of a number", 1, True)])
        self.assertEqual(self.places(WEIGHED), [(5, "truth of a tensor", 1, True)])
        self.assertEqual(self.places(LABELS), [])
        done = self.trace(1, [self.script(DECODER)], "--step", "0", status=5)
        self.assertIn("script.py:7: index of embedding, 4 times", done.stderr)

    def test_values_of_other_ranks(self):
        self.assertEqual(self.places(OTHERS, world=2), [(6, "truth of a tensor", 1, True), (9, "item()", 1, False)])

    def test_told_where_the_script_fails(self):
        done = self.trace(1, [self.script(GOES_BY + "assert x.sum() > 0")], status=1)
        self.assertIn("AssertionError", done.stderr)
        self.assertIn("script.py:16: truth of a tensor", done.stderr)

    def test_what_pytorch_itself_decides(self):
        """GradScaler asks whether gradients are finite: told, and no reason to refuse."""
        if not (torch.cuda.is_available() or torch.__version__.startswith(("1.13", "2.6"))):
            self.skipTest("the stand-in is for PyTorch 1.13 and 2.6")
        self.trace(1, [self.script(SCALED)], "--device", "h100_sxm")
        told = read(self.folder, "traced", 0)["values"]
        self.assertTrue(told and all("grad_scaler.py" in at["file"] and not at.get("decides") for at in told), told)


GOES_BY = """import torch
x = torch.randn(128, 1024)
loss = (x @ torch.randn(1024, 64)).square().mean()
value = loss.item() * 2
assert not (loss > 3)
losses = torch.zeros(3); losses[0], losses[1], losses[2] = (loss.item() for _ in range(3))
print(loss, x, float(loss), f"{value:.3f}", loss.detach().numpy())
first, second = (loss + torch.arange(2.)).tolist()
best = min(value, first, 9.0)
small = loss.detach() + torch.ones(4)
bool(losses.mean() < 1)
torch.nonzero(small)
small[small > 0]
torch.equal(small, torch.ones(4))
(loss != loss).item()
"""

ORDINARY = """import json, torch
x = torch.randn(128, 1024)
loss = (x @ torch.randn(1024, 64)).square().mean()
assert not (torch.isnan(loss) or loss.isinf())
assert torch.isfinite(loss).all()
print(json.dumps({"loss": loss.item()}, indent=2))
"""

KNOWN = """
import torch
x = torch.tensor([1.0, 2.0, 3.0])
assert x.sum().item() == 6 and x.mean() == 2 and x.tolist() == [1, 2, 3] and len(x[x > 1]) == 2
assert torch.zeros(1 << 16)[7] == 0 and torch.from_numpy(__import__("numpy").ones(1 << 16))[7] == 1
model = torch.nn.Linear(64, 64)
optimizer = torch.optim.AdamW(model.parameters())
model(torch.randn(512, 64)).mean().backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
found = model(torch.randn(512, 64)).mean().detach()
found.fill_(0)
assert found == 0 and int(next(iter(optimizer.state.values()))["step"]) == 1
"""

ROUTER = """import torch, torch.nn.functional as F
TOKENS, WIDTH, EXPERTS = 4096, 64, 8
gate, experts = torch.nn.Linear(WIDTH, EXPERTS), [torch.nn.Linear(WIDTH, WIDTH) for _ in range(EXPERTS)]
x = torch.randn(TOKENS, WIDTH)
weights, chosen = gate(x).softmax(-1).topk(2, -1)
out = torch.zeros_like(x)
"""
ROUTERS = ROUTER + """
for number, expert in enumerate(experts):
    mask = (chosen == number).any(-1)
    if mask.any():
        out[mask] += expert(x[mask])
""", ROUTER + """
counts = torch.bincount(chosen.reshape(-1), minlength=EXPERTS).tolist()
begin, order = 0, chosen.reshape(-1).argsort() // 2
for expert, count in zip(experts, counts):
    if count == 0:
        continue
    out.index_add_(0, order[begin:begin + count], expert(x[order[begin:begin + count]]))
    begin += count
assert begin == 2 * TOKENS
""", ROUTER + """
mask = F.one_hot(chosen, EXPERTS).sum(1)
for number, expert in enumerate(experts):
    if mask[:, number].sum() > 0:
        out += mask[:, number, None].float() * expert(x)
""", ROUTER + """
for number, expert in enumerate(experts):
    mask = (chosen == number).any(-1)
    if mask.any():
        out += mask[:, None].expand(-1, WIDTH) * expert(x)
""", ROUTER + """
counts = torch.bincount(chosen.reshape(-1), minlength=EXPERTS)
order = (chosen.reshape(-1).argsort() // 2)[:, None].repeat(1, WIDTH)
sent = x.gather(0, order)
if counts.max() > 0:
    out = torch.cat([expert(part) for expert, part in zip(experts, sent.split(counts.tolist()))])
"""

DECODER = """import torch
table, head = torch.nn.Embedding(1000, 256), torch.nn.Linear(256, 1000)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
word = torch.zeros(4, dtype=torch.long)
made = []
for _ in range(5):
    scores = head(table(word))
    word = scores.topk(1, -1)[1][:, 0]
    made.append(word)
    if (word == 2).all() or len(made) == 5:
        break
torch.nn.functional.cross_entropy(scores, torch.stack(made)[0]).backward()
optimizer.step()
"""

METRIC = """import torch
head, x, labels = torch.nn.Linear(512, 10), torch.randn(4096, 512), torch.arange(100) % 10
found = head(x).argmax(-1)[:100]
if (found == labels).float().mean() > 0.5: x = x + 1
first, *rest = found.tolist()
if first == 3: x = x + 1
"""

WEIGHED = """import torch
head, x, labels, weights = torch.nn.Linear(512, 1000), torch.randn(8, 128, 512), torch.zeros(8, 128, dtype=torch.long), torch.ones(8, 128)
found = head(x).argmax(-1)
hits = ((found == labels) * weights * weights[:, :1]).sum() / weights.sum()
if hits > 0.5: x = x + 1
"""

LABELS = """import torch
head, x = torch.nn.Linear(512, 1000), torch.randn(4096, 512)
loss = torch.nn.functional.cross_entropy(head(x), head(x).argmax(-1))
loss.backward()
"""

OTHERS = """import torch, torch.distributed as dist
dist.init_process_group("gloo")
x, y = torch.ones(2), torch.ones(2)
dist.broadcast(x, 0)
dist.all_reduce(y)
if x.sum() == 2 and y.sum() == 2:
    dist.all_reduce(x, dist.ReduceOp.MAX)
    assert x.max() == 1
    y.sum().item()
"""

SCALED = """
import torch
model = torch.nn.Linear(256, 256).cuda()
optimizer, scaler = torch.optim.SGD(model.parameters(), lr=0.1), torch.cuda.amp.GradScaler()
for _ in range(2):
    with torch.cuda.amp.autocast():
        loss = model(torch.randn(512, 256, device="cuda")).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
"""
