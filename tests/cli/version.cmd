for p in tsc tsrun tsfmt trainspec "trainspec run"; do $p --version; done | sed -E "s/ [0-9]+\.[0-9.]+$/ VERSION/"
