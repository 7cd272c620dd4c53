cat >"$scratch/plan.ts" <<'END'
import std.models.llama, std.machines, std.precision, std.costs.training, std.strategies.megatron
plan small(model: Model = llama3_8b(seq: 256), machine: Machine = machine_h100, tp: Int = 8, gpus: Int = tp) {
  model = model
  cluster = machine.cluster(gpus)
  mesh = { tp }
  apply = [tensor_parallel(tp)]
  batch = { micro: 1, global: 1 }
  precision = mixed(bf16)
  costs = training(machine.costs)
}
END
cd "$scratch"
tsc -o one.ir plan.ts -D machine=h200 2>/dev/null; echo "$?"; tsc -o two.ir plan.ts -D machine=machine_h200 2>/dev/null; for ir in one two; do tsrun $ir.ir 2>/dev/null | sed 30q >$ir; done; cmp one two
tsc -o one.ir plan.ts -D machine=h201 2>&1
tsc -o one.ir plan.ts -D seq=512 2>&1
sed 's/mixed(bf16)/bf16/' plan.ts >bf16.ts; tsc -o one.ir bf16.ts 2>&1
trainspec sweep --vary tp=4,8 --minimize step_time --format=csv plan.ts 2>/dev/null | cut -d, -f1-2
trainspec sweep --vary 'tp=[4, 8]' --minimize step_time --format=csv plan.ts 2>/dev/null | cut -d, -f1-2
# A word is a String where one is asked for, also where it means something else; names of std need no import here
sed -i 's/gpus: Int = tp/&, recompute: String = "none"/; s/tensor_parallel(tp)/&, if recompute == "full" then full() else none/; s/^import /import std.strategies.recompute, /' plan.ts
trainspec sweep --vary recompute=none,full,other --minimize step_time --format=csv plan.ts 2>/dev/null | cut -d, -f1-2
trainspec sweep --vary machine=h100,gb200 --set recompute=full --minimize step_time --format=csv plan.ts 2>/dev/null | cut -d, -f1-3
tsc -o three.ir -D 'model=gpt2_xl()' plan.ts 2>&1 | head -4
trainspec sweep --vary 'model=[gpt3_13b(seq: 256), no_model()]' plan.ts 2>&1
trainspec sweep --vary tp=4,8 --require 'peak_memory < 70' plan.ts 2>&1
