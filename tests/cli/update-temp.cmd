# What the update of a parameter holds of its own: 4 B of 268,435,456 parameters are 1 GiB, where the step holds most.
sed 's/^  *//' >$scratch/plan.ts <<'T'
import std.ops.nn, std.clusters.dgx, std.optimizers.adam, std.precision
model one() {
  x = images(1, [16384])
  y = linear(x, out: 16384) as up
  loss = cross_entropy(y) as loss
}
plan step(temp: Size = 0 B) {
  model = one()
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
  precision = mixed(fp16, gradients: fp16)
  optimizer = { state: adam().state, master: adam().master, temp: temp, kernels: adam().kernels }
}
T
for temp in '0 B' '4 B'; do tsrun -D "temp=$temp" $scratch/plan.ts 2>/dev/null | sed -n '/^Memory at/,/^$/p'; done
