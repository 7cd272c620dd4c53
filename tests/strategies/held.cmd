show() { echo "-- $*"; tsrun "$@" _held.ts 2>/dev/null | grep -E 'peak memory|^  parameters |^  gradients |^  (dp|is)  ' | grep -v -e ' -D ' | sed 's/ (80 %[^)]*)//'; }
# A frozen root is held to the end of the backward, and freed once, as a trained one is: two tables of 64 MiB of which a quarter is held throughout.
for m in 1 8; do show -D "m=$m" -D frozen=8 -D adapters=true -D table=true -D ends=true -D again=true; show -D "m=$m" -D frozen=8 -D adapters=true -D table=true -D ends=true -D again=true -D 'use="keep"'; done
# Gradients that a step frees are not there until the backward makes them again, but for buckets of whole ones.
for u in fsdp zero1; do for f in false true; do show -D "use=\"$u\"" -D "free=$f"; done; done
# Nothing of layers without a gradient is gathered for the backward: not more than all weights at once.
show -D m=8 -D frozen=8 -D table=true -D again=true -D 'use="deepspeed"'
# A tied head is gathered where it is used; its gradient is whole from the head's backward to the table's.
for u in fsdp zero3 zero2 deepspeed; do show -D tied=true -D "use=\"$u\""; done
