tsrun _fit_table.ts 2>&1 | sed -n "/^Compute time/,/^[NAP]/{/^[NAP]/d;p}"
