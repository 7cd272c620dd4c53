"""Times Calculon's formulas on a list of plans: calculon.py FOLDER PLANS.csv, with a checkout of
github.com/calculon-ai/calculon and the CSV of `trainspec sweep tests/bench/plans/turing_530b.ts`.
Plans that its formulas refuse count, as plans that do not fit count for a sweep."""
import csv
import json
import logging
import sys
import time
import types

folder, plans = sys.argv[1:]
sys.path.insert(0, folder)
for name in "psutil", "numpy", "pandas":  # for its own search and its writer of files, which are not used
    sys.modules.setdefault(name, types.ModuleType(name))
sys.modules["psutil"].cpu_count = lambda logical=True: 1
from calculon.llm import Llm, System  # noqa: E402

with open(f"{folder}/models/turing-530B.json") as f:
    app = Llm.Application(json.load(f))
with open(f"{folder}/systems/a100_80g.json") as f:
    system = System(json.load(f))
with open(plans) as f:
    rows = list(csv.DictReader(f))

fit = 0
begun, best = time.process_time(), 0.0
for row in rows:
    tp, pp, dp = int(row["tp"]), int(row["pp"]), int(row["dp"])
    try:
        model = Llm(app, logging.Logger("calculon"))
        model.compile(system, Llm.Execution.from_json({
            "num_procs": tp * pp * dp, "tensor_par": tp, "pipeline_par": pp, "data_par": dp,
            "tensor_par_net": 0, "pipeline_par_net": 1, "data_par_net": 1, "batch_size": 2240,
            "microbatch_size": int(row["micro"]), "datatype": "float16", "fused_activation": False,
            "attention_type": "multihead", "pipeline_interleaving": int(row["v"]),
            "activation_recompute": ("none", "attn_only", "full")[int(row["again"])],
            "optimizer_sharding": False, "tensor_par_comm_type": "rs_ag" if tp > 1 else "ar",
            "tensor_par_overlap": "none", "seq_par_ag_redo": False, "data_par_overlap": True,
            "weight_offload": False, "activations_offload": False, "optimizer_offload": False,
            "training": True}))
        model.run(system)
        best = max(best, model.get_stats_json(False)["sample_rate"])
        fit += 1
    except Llm.Error:
        pass
seconds = time.process_time() - begun
print(f"  Calculon's formulas: {len(rows)} plans ({fit} fit) in {seconds:.2f} s of processor, "
      f"{len(rows) / seconds:.0f} a second on one, {2 * len(rows) / seconds:.0f} on two")
