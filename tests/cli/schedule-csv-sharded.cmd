# What strategies decide is not taken from an order of work, and is told; messages follow from the work.
printf '0UNSHARD,0F0,0F1,0B0,0B1,0REDUCE_GRAD\n1RECV_F0,1F0,1B0,1F1,1B1\n' >"$scratch/order.csv"
cat >"$scratch/plan.ts" <<'END'
import std.models.gpt, std.clusters.dgx, std.schedules.file
plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 2 }
  schedule = from_csv("order.csv")
  costs = [roofline(a100_sxm_80g)]
}
END
cd "$scratch"; tsc -o plan.ir plan.ts 2>&1; echo "exit $?"
sed -i 's/0UNSHARD,//; s/,0REDUCE_GRAD//' order.csv; tsc -o plan.ir plan.ts 2>&1; echo "exit $?"
