# Names of files are references (RFC 3986) in SARIF.
cd "$scratch"; mkdir "a b"; echo "plan p { model = unknown }" >"a b/50%:ü.ts"; tsc --diagnostics=sarif -o x.ir "a b/50%:ü.ts" 2>&1 | jq -r ".runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri"
