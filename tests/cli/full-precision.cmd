tsrun _full_precision.ts 2>/dev/null | sed -n '/^Sources of/,/roofline a100/p'
