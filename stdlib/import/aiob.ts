// Files of AIOB, the operator benchmark of AICB (aliyun/aicb, `--aiob_enable`; its folder
// results/aiob_outputs): the time of each operator of one Megatron layer on one rank. The file says
// no sizes, so they are given here, as AICB was given them. Times are microseconds; the average is
// taken, which AICB takes, too.
//
//     costs = [
//       table(aiob("NAME.txt", hidden: 5120, heads: 40, seq: 2048, micro: 1, vocab: 50304, tp: 8), between: false),
//       roofline(a100_sxm_80g),
//     ]
//
// Products, attention, layer norms and activations are rows. AIOB measures forwards alone; where AICB
// gives backwards the same times, sources behind this one price them. `Emb`, `param_time` (a walk
// over all gradients), `atten_core_softmax` and what AICB makes of experts have no kernel of such
// sizes here and are passed over; other names are refused.

let _passed_over = ["Emb", "param_time", "atten_core_softmax"]
let _known = [
  "layernorm",
  "layernorm2",
  "layernorm_post",
  "atten_qkv",
  "atten_flash",
  "atten_core_qk",
  "atten_core_contex",
  "atten_linear",
  "mlp_linear_1",
  "mlp_gelu",
  "mlp_linear_2",
  "logit_time",
]

fn _line_words(line: String) -> List[String] = words(line + " ", " \t:")
fn _is_head(line: List[String]) -> Bool = len(line) == 1
fn _value_of(line: List[String], file: String, i: Int) -> Real = _above(
  if len(line) == 2 then number(line[1], none) else none,
  file,
  i,
)
fn _above(x: Any, file: String, i: Int) -> Real = if x == none or x <= 0
  then refuse("`" + file + "`, line " + str(i + 1) + ": expected a name and microseconds above 0") else x
fn _named(name: String, file: String, i: Int) -> String = if len([k for k in _known + _passed_over if k == name]) == 1 then name
  else refuse("`" + file + "`, line " + str(i + 1) + ": `" + name + "` is no operator of Megatron's layers that AIOB measures")
// The average of the section that begins at a line.
fn _average(lines: List, from: Int, to: Int, file: String) -> Real = _single(
  [_value_of(lines[i], file, i) for i in from + 1..to if len(lines[i]) > 0 and lines[i][0] == "time_gpu_avg"],
  lines[from][0],
  file,
)
fn _single(found: List[Real], name: String, file: String) -> Real = if len(found) == 1 then found[0]
  else refuse("`" + file + "`: `" + name + "` needs one time_gpu_avg, and has " + str(len(found)) + ": the file is cut off or mixed")
fn _begun(lines: List, file: String) -> List = if len(lines) > 1 and len(lines[0]) == 2 and lines[0][0] == "train_iter" then lines
  else refuse("`" + file + "` is no file of AIOB, which begins with `train_iter:N`")
fn _sections(lines: List, file: String) -> List[Record] = _by_heads(
  lines,
  [i for i in 1..len(lines) if _is_head(lines[i])] + [len(lines)],
  file,
)
fn _by_heads(lines: List, heads: List[Int], file: String) -> List[Record] = if len(heads) < 2
  then refuse("`" + file + "` has no operators: AIOB was ended before it wrote its times") else [
  { name: _named(lines[heads[k]][0], file, heads[k]), us: _average(lines, heads[k], heads[k + 1], file) } for k in 0..len(heads) - 1
]
fn _once(sections: List[Record], file: String) -> List[Record] = if len(groups([s.name for s in sections])) == len(sections) then sections
  else refuse("`" + file + "` has an operator twice: two files in one")

// The kernel that an operator is, with the sizes of a rank.
fn _gemm(z: Record, t: Time, m: Int, n: Int, k: Int, count: Int = 1) -> Record = {
  family: "gemm",
  dtype: z.dtype,
  m: m,
  n: n,
  k: k,
  count: count,
  time: t,
}
fn _reduction(z: Record, t: Time, op: String, rows: Int, width: Int) -> Record = {
  family: op,
  dtype: z.dtype,
  rows: rows,
  width: width,
  time: t,
}
fn _attention(z: Record, t: Time) -> Record = {
  family: "attention",
  dtype: z.dtype,
  batch: z.micro,
  seq: z.seq,
  heads: div(z.heads, z.tp),
  kv_heads: div(z.heads, z.tp),
  head_dim: div(z.hidden, z.heads),
  time: t,
}
fn _kernel(name: String, t: Time, z: Record) -> Record = match name {
  "atten_qkv" -> _gemm(z, t, z.rows, div(3 * z.hidden, z.tp), z.hidden)
  "atten_linear" -> _gemm(z, t, z.rows, z.hidden, div(z.hidden, z.tp))
  "mlp_linear_1" -> _gemm(z, t, z.rows, div(z.up, z.tp), z.hidden)
  "mlp_linear_2" -> _gemm(z, t, z.rows, z.hidden, div(z.ffn, z.tp))
  "logit_time" -> _gemm(z, t, z.rows, div(z.vocab, z.tp), z.hidden)
  "atten_core_qk" -> _gemm(z, t, z.seq, z.seq, div(z.hidden, z.heads), div(z.micro * z.heads, z.tp))
  "atten_core_contex" -> _gemm(z, t, z.seq, div(z.hidden, z.heads), z.seq, div(z.micro * z.heads, z.tp))
  "atten_flash" -> _attention(z, t)
  "mlp_gelu" -> _reduction(z, t, if z.gated then "swiglu" else "bias_gelu", z.rows, div(z.up, z.tp))
  _ -> _reduction(z, t, "layernorm", if z.sequence then div(z.rows, z.tp) else z.rows, z.hidden)
}
fn _fits(z: Record) -> Record = if gcd(z.hidden, z.tp) == z.tp and gcd(z.heads, z.tp) == z.tp and gcd(z.ffn, z.tp) == z.tp and
  gcd(z.vocab, z.tp) == z.tp and gcd(z.hidden, z.heads) == z.heads then z
  else refuse("`tp` divides hidden, heads, ffn and vocab, and heads divide hidden")

// `sequence`: AICB's --enable_sequence_parallel. `gated`: its --swiglu.
fn aiob(
  file: String,
  hidden: Int,
  heads: Int,
  seq: Int,
  micro: Int,
  vocab: Int,
  tp: Int = 1,
  ffn: Int = 4 * hidden,
  gated: Bool = false,
  sequence: Bool = false,
  dtype: DType = bf16,
) -> List[Record] = _rows(
  _once(_sections(_begun([_line_words(l) for l in lines(file)], file), file), file),
  _fits({
    hidden: hidden,
    heads: heads,
    seq: seq,
    micro: micro,
    vocab: vocab,
    tp: tp,
    ffn: ffn,
    gated: gated,
    up: ffn * (if gated then 2 else 1),
    sequence: sequence,
    dtype: dtype,
    rows: micro * seq,
  }),
)
fn _rows(sections: List[Record], z: Record) -> List[Record] = [
  _kernel(s.name, s.us * 1 us, z) for s in sections if len([k for k in _passed_over if k == s.name]) == 0
]
