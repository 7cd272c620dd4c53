tsrun _fit_table.ts 2>&1 | sed -n "/rests on/,/^$/p"
