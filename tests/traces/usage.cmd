for c in trace table replay export; do trainspec $c --help | awk "length > 80"; trainspec $c 2>&1; done; trainspec export x.ts; trainspec replay a b
