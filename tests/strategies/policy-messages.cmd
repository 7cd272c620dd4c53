# A message takes the latency of the slowest link up to the switch and down from it: with 10 us and kernels of 10 us the first gradient is back on rank 0 after 70 us, when 7 forwards are done; with messages of 5 us after 40.
{ sed '/link rank.*center/s/latency = 0 us/latency = if r < 2 then late else 0 us/; s/^cluster all_to_all(ranks: Int)/cluster all_to_all(ranks: Int, late: Time = 10 us)/' ../../examples/schedule_lab.ts
  printf 'schedule eager(p: Axis, m: Int) {\n  stages p\n  policy m at r in 0..p { prefer B, F }\n}\n'; } >"$scratch/plan.ts"
for late in 10us 2.5us; do
  sed "s/= all_to_all(ranks)/= all_to_all(ranks, late: ${late%us} us)/" "$scratch/plan.ts" >"$scratch/late.ts"
  tsc --emit=schedule-csv -D 'schedule=eager(p: 2, m: 12)' -D f=10us -D i=5us -D w=5us "$scratch/late.ts" 2>&1 | head -3
done
