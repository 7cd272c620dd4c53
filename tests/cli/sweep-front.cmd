# Of several goals: the plans that no other beats, found here again pair by pair.
trainspec sweep --vary 'tp=[1, 2, 4, 8]' --vary 'm=[1, 2, 4, 8]' --set 'dp=1' --minimize step_time --minimize peak_memory --maximize 'tokens_per_second' _sweep.ts 2>/dev/null
trainspec sweep --vary 'tp=[1, 2, 4, 8]' --vary 'm=[1, 2, 4, 8]' --set 'dp=1' --minimize step_time --minimize peak_memory --maximize 'tokens_per_second' --format csv _sweep.ts 2>/dev/null |
  awk -F, 'BEGIN { n = 0 } NR > 1 { a[n] = $(NF - 3); b[n] = $(NF - 2); c[n] = $(NF - 1); front[n++] = $NF }
    END { for (i = 0; i < n; i++) { f = 1; for (k = 0; k < n; k++) if (a[k] <= a[i] && b[k] <= b[i] && c[k] >= c[i] && (a[k] < a[i] || b[k] < b[i] || c[k] > c[i])) f = 0; some += f; if (f != front[i]) print "row " i " is wrong" }
      print some " of " n }'
trainspec sweep --vary 'tp=[1, 2]' --set dp=1 --minimize step_time --minimize peak_memory --format json _sweep.ts 2>/dev/null | sed -n '/goals/,/front/p'
trainspec sweep --vary 'tp=[1]' $(for i in 1 2 3 4 5 6 7 8 9; do echo --minimize devices; done) _sweep.ts 2>&1
