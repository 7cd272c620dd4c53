# What studies add to JSON.
part() { sed -nE "/^.\"$1\":/,/^.{1,2}[]}]+,$/p"; }
tsrun --format=json --overlap constant:2:1.25 semantics_overlap.tsir 2>/dev/null | part overlap
tsrun --format=json --fail-at 17h,3h --restart 10min --checkpoint 30s --checkpoint-every 100000 straggler.tsir 2>/dev/null | part day
tsrun --format=json --allocator caching:streams:channels=8 allocator.tsir 2>/dev/null | part allocator
