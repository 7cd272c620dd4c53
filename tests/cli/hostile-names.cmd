# Names of strangers in every output: no byte that steers a terminal or turns text reaches one, nothing leaves its quotes, its tag or its line.
bad=$(printf '\033]0;owned\007\342\200\256\377'); name="<script>\"$bad"; text=$(printf '\342\200\256owned'); steers=${bad%?}; from=$PWD; mkdir "$scratch/hostile"; cd "$scratch/hostile"; cp "$from/_hostile.tsir" plan.tsir; tsc -o plan.ir plan.tsir
show() { # COMMAND...: how many lines have such a byte, and the first lines that have a name
  echo "== $*"; "$@" >out 2>&1 || true; LC_ALL=C grep -acP '[\x00-\x08\x0b-\x1f\x7f\x80-\xbf]|[\xf8-\xff]' out; grep -a owned out | sed 's/ *[0-9.]* us$//' | cut -c1-160 | head -3; }
for form in text csv json html svg; do show tsrun --format $form plan.ir; done
tsrun --format html plan.ir | sed -n '/class="run"/,/<\/script>/p' | sed '1d;$d' >data.json; grep -c '[<>&]' data.json; jq -r '.streams[0]' data.json
show tsrun --network=all plan.ir | sed -E 's|([0-9.]+ %) +[0-9.]+ [mun]?s$|\1|'; show tsrun --trace trace.json plan.ir; show cat trace.json; show tsc -S -o - plan.ir
tsc -S -o again.tsir plan.ir; tsc -o again.ir again.tsir; cmp plan.ir again.ir && echo "reads back"
{ tsrun --format svg plan.ir; trainspec topo --format svg plan.ir; } | grep -ciE '<(script|foreignObject|image|use|a) |href| on[a-z]+=|@import|url\([^#]'
for page in tsrun "trainspec topo"; do $page --format html plan.ir | grep -o "default-src 'none'; base-uri 'none'; form-action 'none'"; done
for form in text dot svg; do show trainspec topo --format $form plan.ir; done; show trainspec topo --paths plan.ir; show trainspec diff plan.ir plan.tsir
sed "s/name: String = \"x\"/name: String = \"$text\"/" "$from/_sweep.ts" >sweep.ts
sed "s/name: String = \"x\"/name: String = \"$steers\"/" "$from/_sweep.ts" >steers.ts; printf '// %s\n//\t%s\nlet   a=1\n' "$text" "$text" >"layout$steers.ts"; printf '// %s\nlet   a=1\n' "$steers" >comment.ts
show tsc --list-params steers.ts; show trainspec sweep --vary "name=[\"$steers\"]" sweep.ts; show tsfmt comment.ts; show tsfmt --diff comment.ts; show tsfmt --diff "layout$steers.ts"
show tsc --list-params sweep.ts; show trainspec sweep --vary "name=[\"$text\"]" --top 1 sweep.ts; show trainspec sweep --vary "name=[\"$text\"]" --format csv sweep.ts
sed "s/\"matmul_kernel\"/\"a$bad\"/; s/\"name\": *\"[^\"]*gemm[^\"]*\"/\"name\": \"a$bad\"/g" "$from/../traces/_small.json" >"$bad.json"
show trainspec trace "$bad.json"; show trainspec trace --format json "$bad.json"; show trainspec table "$bad.json"
printf '# device: %s\nfamily,dtype,bytes,time_us\ncopy,=cmd|1,1,1\n' "$name" >"table$bad.csv"
show trainspec db add --db own.db "table$bad.csv"; show trainspec db list --db own.db; show trainspec db show --db own.db
show tsrun "$bad"; show tsrun "--$bad" plan.ir; show tsc "$bad.ts"; show tsfmt "$bad.ts"; show trainspec "$bad"; show tsrun -o "none$bad/x" plan.ir
