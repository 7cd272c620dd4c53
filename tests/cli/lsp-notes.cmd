# What is shown of parameters and numbers: comments above and behind them, and their sources.
text='gpu small source \"its data sheet\" {\n  memory = 1 GiB source \"nvidia-smi\"\n  bandwidth = 100 GB/s // of one direction\n  peak = { fp32: 1 TFLOP/s }\n}\n// Words a second.\nfn rate(\n  n: Int, // words\n  // of all ranks, and\n  // none of the host\n  t: Time = 2 s source \"a log\",\n) -> Real = n / (t / 1 s)\nlet both = rate(n: 3)\nlet kind = small\n'
at='"textDocument": {"uri": "file:///plans/notes.ts"'
hover() { echo '{"jsonrpc": "2.0", "id": '"$1"', "method": "textDocument/hover", "params": {'"$at"'}, "position": {"line": '"$2"', "character": '"$3"'}}}'; }
{ echo '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
  echo '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {'"$at"', "languageId": "trainspec", "version": 1, "text": "'"$text"'"}}}'
  hover 2 12 12; hover 3 12 16; hover 4 11 18; hover 5 13 12; hover 7 7 3
  echo '{"jsonrpc": "2.0", "id": 6, "method": "shutdown"}'; echo '{"jsonrpc": "2.0", "method": "exit"}'; } |
  LC_ALL=C awk '{ printf "Content-Length: %d\r\n\r\n%s", length($0), $0 }' | trainspec lsp | tr -d '\r' | sed -E 's/Content-Length: [0-9]+$//' | grep -oE '"value":"([^"\\]|\\.)*"'
