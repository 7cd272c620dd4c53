"""Dispatch and combine of tokens by library, as DeepEP's pages print them: bandwidths whose meaning differs by page,
made times."""
from __future__ import annotations

from typing import Optional

import words
from step import Context, Step
from table import Row

_MACHINES = (("GB200", "gb200"), ("H800", "h800"), ("H100", "h100"), ("SM90", "h100"), ("SM100", "b200"))


def _bytes(t: Row, limit: int) -> float:
    """All pages count what a rank sends to nodes, or takes over NVLink, its own node or itself included: tokens times
    the nodes or ranks that one goes to (`rdma_send_bytes`, `nvl_recv_bytes` of the libraries' benchmarks; "logical
    bandwidth" in words), on average, whose experts are picked uniformly. 8 bits carry a scale for 128."""
    nodes, element = t.number("nodes_or_domains"), 1 + 4.0 / 128 if t["dtype"] == "fp8" else 2
    places = nodes if nodes > 1 else t.number("ranks")
    if limit:
        places = min(places, limit)
    met = places * (1 - (1 - 1 / places) ** t.number("topk"))
    return t.number("tokens_rank") * t.number("hidden") * element * met


def _lacks(t: Row, machine: Optional[str], low: bool) -> Optional[str]:
    if not machine:
        return "a gpu that std has not"
    if (not t.has("latency_us" if low else "gb_s") or not t.has("tokens_rank") or not t.number("ranks") > 1
            or not t.has("nodes_or_domains")):
        return "tokens, ranks or bandwidth not stated"
    return None


def exchange(c: Context, t: Row) -> Step:
    library, called, low = t["library"], t["timing"] == "torch call", "low-latency" in t["library"]
    machine = next((kind for gpu, kind in _MACHINES if gpu in t["gpu"]), None)
    name = (f"{library} {t['gpu']} x{t['ranks']}, {t['sms'] or 'its'} processors, {t['operation']} {t['dtype']}")
    limit = 4 if "top-4 groups" in t["routing"] else 0
    step = Step(t, f"{name}, {'called' if called else 'kernel'}",
                f"{'second DeepEP' if library == 'DeepEP V2' else library} {t['gpu']}",
                # one half validates, kernels and calls of one configuration together; these constants rest on others
                validation=low or words.half(name), missing=_lacks(t, machine, low))
    if step.missing or not machine:
        return step
    step.measured = t.number("latency_us") / 1e6 if low else _bytes(t, limit) / (t.number("gb_s") * 1e9)
    of = "deep_ep_low_latency" if low else {"HybridEP": "hybrid_ep", "DeepEP V2": "deep_ep_2"}.get(library, "deep_ep")
    step.give(library=words.quoted(of), kind=words.quoted(machine), nodes=t["nodes_or_domains"],
              format="fp8_block" if t["dtype"] == "fp8" else "bf16", called=called)
    if t["sms"]:
        step.give(sms=t["sms"])
    if limit:
        step.give(limit=limit)
    return step
