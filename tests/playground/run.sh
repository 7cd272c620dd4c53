#!/usr/bin/env bash
# The playground (./dev wasm test): run.sh BUILD-WASM TRAINSPEC. Its engine by node against the program, byte by byte;
# its page in Chromium, from a folder. Skips with a message what cannot be had here.
set -eu
. "$(dirname "$0")/../tap.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
program=$(realpath "$2")
status=0
command -v node >/dev/null || skip_all "playground: no node"
node "$root/tests/playground/reports.mjs" "$build/trainspec.wasm" "$program" || status=1
skip_page() { skip_all "playground in a browser: $1" $status; }
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} || skip_page "no Chromium (apt-get install chromium)"
export CHROMIUM
out=$build/browser
mkdir -p "$out"
echo '{"private": true}' >"$out/package.json"
[ -d "$out/node_modules/playwright-core" ] ||
  (cd "$out" && npm install --silent --no-audit --no-fund playwright-core >/dev/null 2>&1) ||
  skip_page "no playwright-core, and npm cannot fetch it"
node "$root/tests/playground/page.mjs" "$build/site" "$out" "$out" || status=1
echo "# screenshots: $out/*.png"
exit $status
