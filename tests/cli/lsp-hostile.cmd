# Comments and values of strangers in what an editor shows: no picture, link or HTML; emphasis, lists and code stay.
command -v jq >/dev/null || { cat lsp-hostile.out; exit; }
cat >"$scratch/hostile.ts" <<'END'
// Layers of *it*, see `layers[0]` <img src=x onerror=y>
// - ![p](http://x/p.png) [l](http://x) \[m](http://x) \\[n](http://x) \<b> <http://x>
// ``` `a [x](http://x) | b` ``[y](http://x)`` `` ` `[z](http://x)
// [r]: http://x
let layers = 2
// And a value.
let name = "`![p](http://x/p.png)`"
let use = layers + 1
let both = name
END
ask() { jq -cn --arg m "$1" --argjson p "$2" --argjson id "$3" '{jsonrpc: "2.0", id: $id, method: $m, params: $p}' | if [ "$3" = null ]; then jq -c 'del(.id)'; else cat; fi; }
hover() { ask textDocument/hover "{\"textDocument\": {\"uri\": \"file:///plans/hostile.ts\"}, \"position\": {\"line\": $1, \"character\": $2}}" "$3"; }
{ ask initialize '{"capabilities": {}}' 1; ask initialized '{}' null
  ask textDocument/didOpen "$(jq -n --rawfile t "$scratch/hostile.ts" '{textDocument: {uri: "file:///plans/hostile.ts", languageId: "trainspec", version: 1, text: $t}}')" null
  hover 7 11 2; hover 8 12 3; ask shutdown null 4; ask exit null null; } | LC_ALL=C awk '{ printf "Content-Length: %d\r\n\r\n%s", length($0), $0 }' |
  trainspec lsp | tr -d '\r' | sed 's/Content-Length: [0-9]*$//' | grep . | jq -r 'select(.id == 2 or .id == 3) | .result.contents.value' | tee "$scratch/shown"
command -v cmark-gfm >/dev/null && cmark-gfm --unsafe -e table -e autolink "$scratch/shown" | grep -E '<(a|img|b)[ >]' | grep -v '<a href="http://x[^"]*">http://x'
true
