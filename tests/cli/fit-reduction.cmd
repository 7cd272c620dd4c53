# Families of ops may have rows and width, of the op's first input: a fit of layer norms by them answers a plan's layer norms, as the table does with its rows exactly. The backward
# of layernorm is two kernels, which share the time of the row by their bytes: 3 to 2.
here=$PWD; cd "$scratch"
awk 'BEGIN { print "family,dtype,rows,width,time_us"; for (r = 64; r <= 8192; r *= 2) for (w = 256; w <= 4096; w *= 2) for (b = 0; b < 2; b++) printf "layernorm%s,fp32,%d,%d,%.6g\n", b ? "_backward" : "", r, w, 3 + 1e-5 * r * w ^ 0.9 }' >norms.csv
trainspec fit ops norms.csv --device mine --units 108 --keep 1 -o norms.json | grep -c kept
cat >plan.ts <<'P'
import std.models.gpt, std.precision, std.clusters.dgx, std.gpus.nvidia
plan norms(costs_first: List[Any] = [], seq: Int = 512) {
  model = gpt(layers: 2, hidden: 1024, heads: 16, vocab: 128, seq: seq)
  cluster = dgx_a100(nodes: 1)
  batch = { micro: 1, global: 8 }
  precision = full_precision()
  costs = costs_first + [roofline(a100_sxm_80g)]
}
P
for first in 'fit("norms.json")' 'table("norms.csv")'; do for seq in 512 768; do tsrun -D costs_first="[$first]" -D seq=$seq plan.ts 2>/dev/null | sed -n '/^Compute time/,/^[NAP]/{/^[NAP]/d;p}'; done; done
# A convolution is known by its tensors' dimensions and its arguments; both gradients share the time of its backward by halves.
cat >conv.ts <<'P'
import std.ops.nn, std.precision, std.clusters.dgx, std.gpus.nvidia
model one(side: Int) {
  x = input([batch, 64, side, side], fp32)
  y = conv2d(x, out: 128, kernel_size: 3, stride: 2, padding: 1) as conv
  n = layernorm(y) as norm
}
plan conv(side: Int = 56) {
  model = one(side)
  cluster = dgx_a100(nodes: 1)
  batch = { micro: 8, global: 64 }
  precision = full_precision()
  mesh = { dp: 8 }
  costs = [table "conv.csv", table "norms2.csv", roofline(a100_sxm_80g)]
}
P
printf 'family,dtype,x0,x1,out,kernel_size,x2,stride,padding,time_us\nconv2d,fp32,8,64,128,3,56,2,1,100\nconv2d_backward,fp32,8,64,128,3,56,2,1,260\n' >conv.csv
printf 'family,dtype,rows,width,time_us\nlayernorm,fp32,28672,28,10\nlayernorm_backward,fp32,28672,28,50\n' >norms2.csv
tsc -S conv.ts 2>/dev/null | grep -E '^ *kernel ' 
for side in 56 64; do tsrun -D side=$side conv.ts 2>/dev/null | sed -n '/^Compute time/,/^[NAP]/{/^[NAP]/d;p}'; done
