tsrun _fit_table.ts 2>&1 | sed -n "/^Sources of the compute/,/^$/p"
