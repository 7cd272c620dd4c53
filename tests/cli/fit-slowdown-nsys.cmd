trainspec fit slowdown --from-trace ../traces/_nsys_pairs.sqlite --pairs -
