# Optional parts, there or left out: as this build has them, each once. Telling them opens no library: 48 more come with librsvg.
for p in tsc tsrun tsfmt trainspec "trainspec run"; do $p --version; done | sed -E "s/ [0-9]+\.[0-9.]+$/ VERSION/; /^(Optional parts|Left out):/d"
tsc --version | sed -nE 's/^(Optional parts|Left out): //p' | grep -oE 'databases|native calls|packets' | sort
LD_DEBUG=files tsrun --version 2>&1 | grep -E 'librsvg-2|libxgboost\.'
true
