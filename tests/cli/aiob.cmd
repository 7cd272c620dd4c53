# Files of AIOB (SimAI's operator benchmark) as rows of costs: products, attention, norms and activations of a rank, in the file's averages; what is cut off, mixed, empty or of others is refused.
cd "$scratch"
put() { printf '%s:\n    time_gpu_max: %s\n    time_gpu_min: %s\n    time_gpu_avg: %s\n' "$1" "$(($2 + 50))" "$(($2 - 20))" "$2"; }
{ echo train_iter:10; put Emb 799; put layernorm 70; put atten_qkv 889; put atten_flash 512; put atten_linear 349; put layernorm2 71; put mlp_linear_1 1408; put mlp_gelu 257; put mlp_linear_2 742; put layernorm_post 70; put logit_time 12824; put param_time 17374; } >aiob.txt
cat >plan.ts <<'P'
import std.models.gpt, std.precision, std.clusters.dgx, std.gpus.nvidia, std.import.aiob, std.strategies.megatron
plan job(file: String = "aiob.txt", hidden: Int = 5120, micro: Int = 1) {
  model = gpt(layers: 2, hidden: 5120, heads: 40, vocab: 50304, seq: 2048, flash: true)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 8 }
  apply = [tensor_parallel(tp)]
  batch = { micro: 1 }
  precision = mixed()
  costs = [table(aiob(file, hidden: hidden, heads: 40, seq: 2048, micro: micro, vocab: 50304, tp: 8), between: false), roofline(a100_sxm_80g)]
}
P
tsc -S plan.ts 2>/dev/null | grep 'source "rows of the plan"' | sed 's/ flops .*dtype/ .. dtype/; s/ bytes .*dtype/ .. dtype/'
for p in 'file="none.txt"' 'hidden=5121' 'hidden=5136'; do echo "$p:"; tsc -D "$p" -o no.ir plan.ts 2>&1 | grep '\^' | sed -n 's/^[ |]*[\^][\^]* //p'; done
: >empty.txt; head -c 300 aiob.txt >cut.txt; head -1 aiob.txt >begun.txt; cat aiob.txt aiob.txt >twice.txt; sed '2,9{/avg/d}' aiob.txt >less.txt; sed '3,$d' aiob.txt >name.txt; sed 's/avg: 889/avg: x/' aiob.txt >text.txt; sed 's/889/-1/' aiob.txt >minus.txt
{ echo train_iter:10; printf '{\n    "Emb": [\n        {\n            "time_gpu": 1.5\n        }\n    ]\n}\n'; } >raw.txt; sed 's/atten_qkv/moe_qkv/' aiob.txt >moe.txt; { cat aiob.txt; echo 'family,m,n,k,time_us'; echo 'gemm,1,2,3,4'; } >mixed.txt; printf 'family,m\ngemm,1\n' >other.txt
for f in empty cut begun twice less name text minus raw moe mixed other; do tsc -D "file=\"$f.txt\"" -o no.ir plan.ts 2>&1 | grep '\^' | sed -n 's/^[ |]*[\^][\^]* //p'; done; ls no.ir 2>&1
# rows of one's own, and those that are none
cat >own.ts <<'P'
import std.models.gpt, std.clusters.dgx, std.gpus.nvidia
plan own(rows: Any = [{ family: "gemm", dtype: bf16, m: 16, n: 16, k: 16, time: 4 us }]) { model = gpt(layers: 1, hidden: 64, heads: 2, vocab: 128, seq: 16), cluster = dgx_a100(nodes: 1), batch = { micro: 1, global: 8 }, costs = [table(rows), roofline(a100_sxm_80g)] }
P
for rows in '[]' '[1]' '[{ m: 1, time: 3 }]' '[{ family: "gemm", m: 1, n: 2, time: 1 us }]' '[{ family: "g,h", bytes: 1, time: 1 us }]' 3; do tsc -D "rows=$rows" -o no.ir own.ts 2>&1 | grep -v '^ *|$' | head -5; done
