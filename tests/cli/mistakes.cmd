# Mistakes of newcomers, each with what is said of it: in plans, on command lines, with files of other kinds.
cp _mistakes.ts "$scratch/plan.ts"; cd "$scratch"; export XDG_CACHE_HOME=.
printf '{"model_type": "llama", "hidden_size": 512}\n' >config.json
printf 'hello world\n' >notes.txt
printf 'step,loss\n1,3.4\n' >loss.csv
printf 'gpu mine {\n  memory = 32 GiB\n  bandwidth = 1 TB/s\n  peak = { bf16: 100 TFLOP/s }\n}\n' >gpu.ts
cat >ops.csv <<'TABLE'
# device: h100_sxm
# batch_dim: 0
name,kind,inputs,output_shape,dtype,forward_us,backward_us,parameters
x,input,,"(4, 8, 16)",float32,0,0,
ln,layernorm,x,"(4, 8, 16)",float32,35.2,72.0,"[[16],[16]]"
fc,linear,ln,"(4, 8, 64)",float32,1150,2300,"[[64,16],[64]]"
TABLE
number=0
said() { number=$((number + 1)); echo; echo "== $number $*"; }
t() { said "$*"; bash -c "$*" >message 2>&1; code=$?; grep -v '^try `' message | head -28; [ $code = 0 ] || echo "[$code]"; }
e() { said "$*"; sed "$@" plan.ts >changed.ts; trainspec compile -o out.ir changed.ts >message 2>&1; head -28 message; } # an edit of the plan
r() { said "$*"; sed "$@" ops.csv >rows.csv # an edit of a table of operators
  sed 's/model = .*/model = trace("rows.csv", plain())/; s/^  schedule = .*//; 1s/^/import std.import.plain\n/' plan.ts >traced.ts
  trainspec compile -o out.ir traced.ts >message 2>&1; grep -v '^ *|$' message | head -24; }
# Plans
e 's/micro: 1/micro: 0/'
e 's/{ tp, dp, pp }/{ tp dp pp }/'
e 's/cluster = /cluster == /'
e 's/precision = /precision: /'
e 's/^plan own/# my plan\nplan own/'
e 's/adam()/adam(betas: 0.9)/'
e 's/adam()/adamw()/'
e 's/mixed(bf16)/mixed(float16)/'
e 's/adam()/adam()\n  learning_rate = 3e-4/'
e 's/200 MiB/200 mb/'
e 's/llama3_8b(seq: 8192)/"llama3_8b"/'
e 's/dgx_h100(.*)/h100_sxm/'
e 's/= training_h100/= tp > 1 ? training_h100 : training_a100/'
e 's/{ tp, dp, pp }/dict(tp=tp, dp=dp, pp=pp)/'
e 's/{ tp, dp, pp }/{ "tp": 8, "dp": 1, "pp": 1 }/'
e 's/zero1(dp, bucket: 200 MiB)/zero1(dp), data_parallel(dp)/'
e 's/, zero1(dp, bucket: 200 MiB)//'
e 's/global: Int = 8/global: int = 8/'
e 's/global: Int = 8/global = 8/'
e 's/bucket: 200 MiB/overlap: True/'
e 's/seq: 8192/seq: 8k/'
e 's/^import std.models.llama, /from std.models.llama import llama3_8b\nimport /'
e 's/^plan own/def f(x) { return x }\nplan own/'
e 's/std.models.llama/std.traced/'
e 's/nodes: .*)/nodes: 1)/;s/dp: Int = 2/dp: Int = 16/'
e 's/, pp }/ }/'
e 's/^schedule eager/schedule eager(p: Axis, m: Int) { stages p\n  for s in 0..p { F(0) }\n}\nschedule other/'
e 's/one_f_one_b(p: pp/eager(p: pp/;s/{ F(i) B(i) }/{ f(i) b(i) }/'
e 's/one_f_one_b(p: pp/eager(p: pp/;s/{ F(i) B(i) }/{ F(i) }/'
e 's/^plan own/gpu mine { memory = 32 GiB, bandwidth = 1 TB\/s, peak = { bf16: 100 TFLOPS\/s } }\nplan own/'
# Parameters and figures
t trainspec run plan.ts -D tp = 4
t trainspec run plan.ts --tp 4
t trainspec run plan.ts tp=4
t trainspec run plan.ts -D seq=32768
t trainspec run plan.ts -D dp=3
t trainspec run plan.ts --gpu h200
t trainspec run plan.ts --what-if tp=4
t "trainspec run plan.ts --assert 'time < 5 s'"
t "trainspec run plan.ts --assert 'mfu > 50 %'"
t "trainspec sweep plan.ts --minimize time --vary tp=4,8"
t "trainspec sweep plan.ts --vary 'tp in 1..8'"
t trainspec sweep plan.ts
t "trainspec sweep plan.ts --vary 'cluster=[dgx_h100(nodes: 1), dgx_a100(nodes: 1)]'"
t "trainspec sweep plan.ts --vary 'seq=[4096, 8192]'"
t "trainspec run plan.ts -D 'schedule=zb_h1(p: pp, m: 8)'"
t "trainspec diff plan.ts plan.ts --fail-if 'step_time > 1 %'"
# Files of other kinds
t trainspec run plan.trainspec
t trainspec run config.json
t trainspec run notes.txt
t "trainspec run plan.ts -o report.html && head -1 report.html"
t trainspec trace plan.ts
t trainspec trace notes.txt
t trainspec trace config.json
t trainspec log loss.csv
t trainspec compare plan.ts
t trainspec watch loss.csv --once
t trainspec topo dgx_h100
t trainspec compile gpu.ts
# Commands
t trainspec plan.ts
t trainspec simulate plan.ts
t trainspec trace ops.csv --json
t trainspec init --model meta-llama/Llama-9-70B --gpu h100
t trainspec init --model llama3_8b --gpu h100_sxn
t trainspec init --model llama3_8b --gpu h100 -D seq=32768
t "trainspec init --model llama3_8b --gpu h100 -D 'model=llama3_8b(seq: 32768)'"
t trainspec import
t trainspec import megatorn --num-layers 4
t trainspec import megatron --num-layer 4
t trainspec list h100
t trainspec show llama3
t trainspec help stepp_time
t trainspec db show gemm
t trainspec completion powershell
t trainspec export plan.ts -o x --format=chakraa
t trainspec calibrate plan.ts loss.csv
# Rows of operators
r 's/^fc,linear,ln,"(4, 8, 64)"/loss,cross_entropy,ln,"(1,)"/'
r 's/layernorm,x/layer_norm,x/'
r 's/linear,ln/linear,layer1/'
r 's/1150,/1.1ms,/'
r 's/,forward_us/,time/'
