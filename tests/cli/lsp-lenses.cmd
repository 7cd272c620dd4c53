# Above a plan: its step time and memory once it is opened or saved, an invitation while it is changed.
open() { printf 'import std.models.gpt, std.clusters.dgx, std.costs.sources, std.optimizers.adam\\n\\nplan tiny(tp: Int = %s) {\\n  model = gpt(layers: 2, hidden: 768, heads: 12, vocab: 50304, seq: 1024)\\n  cluster = dgx_a100(nodes: 1)\\n  mesh = { tp }\\n  batch = { micro: %s, global: 800 }\\n  optimizer = adam()\\n  costs = [roofline(a100_sxm_80g)]\\n}\\n' "$@"; }
at='"textDocument": {"uri": "file:///plans/tiny.ts"'
lens() { echo '{"jsonrpc": "2.0", "id": '"$1"', "method": "textDocument/codeLens", "params": {'"$at"'}}}'; }
changed() { echo '{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {'"$at"', "version": '"$1"'}, "contentChanges": [{"text": "'"$(open 1 "$2")"'"}]}}'; }
{ echo '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}, "initializationOptions": {"lenses": true}}}'
  echo '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {'"$at"', "languageId": "trainspec", "version": 1, "text": "'"$(open 1 1)"'"}}}'; lens 2
  changed 2 2; lens 3; echo '{"jsonrpc": "2.0", "method": "textDocument/didSave", "params": {'"$at"'}}}'; lens 4
  changed 3 800; echo '{"jsonrpc": "2.0", "method": "textDocument/didSave", "params": {'"$at"'}}}'; lens 5
  echo '{"jsonrpc": "2.0", "id": 6, "method": "shutdown"}'; echo '{"jsonrpc": "2.0", "method": "exit"}'; } |
  LC_ALL=C awk '{ printf "Content-Length: %d\r\n\r\n%s", length($0), $0 }' | trainspec lsp | tr -d '\r' | sed -E 's/Content-Length: [0-9]+$//' | grep -o 'codeLensProvider\|"title":"[^"]*","command":"[^"]*"\|"line":[0-9]*'
