for graph in ring ring_based double_ring; do
  for how in "-D ahead=0" "-D backups=1 -D ahead=4" "-D staleness=4"; do
    printf '%-12s %-26s' $graph "$how"; tsrun examples/hop.ts -D graph=$graph $how | grep 'optimizer step'
  done
done
