# Reasons that differ in numbers alone are one line, the most frequent one first.
trainspec sweep --vary tp=1..9 --vary dp=1..9 --vary pp=1..9 --vary m=1..3 _sweep.ts 2>/dev/null | sed -n '/^Left out/,/^$/p'
trainspec sweep --vary tp=1..9 --vary dp=1..9 --vary pp=1..9 --vary m=1..30 --budget 20 _sweep.ts 2>/dev/null | sed -n '/^Left out/,/^$/p'
