for p in tsc tsrun tsfmt trainspec "trainspec run"; do $p --version; done | sed -E "s/, ns-3$//; s/ [0-9]+\.[0-9.]+$/ VERSION/"
