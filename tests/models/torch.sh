#!/usr/bin/env bash
# torch.sh CONDITION: peaks of eager models beside those of the real packages, of the rows of _torch_peaks.csv that awk's condition chooses.
# The rows: transformers 4.46.3 and timm 1.0.14 with PyTorch 2.6.0, a forward and a backward on tensors without memory (FakeTensorMode, device
# cuda); storages counted in multiples of 512 B from the operator that makes them to their last reference; Adam's moments are there, its
# temporaries are not. Half precision is fp16. `again`: modules are checkpointed, as std.models says by `again`.
printf '%-9s %8s %5s %7s %6s %10s %10s %11s\n' model samples seq format again GiB packages difference
awk -F, "$1" _torch_peaks.csv | while IFS=, read -r name samples seq format again bytes; do
  tsrun --ignore-memory --format=json -D "name=\"$name\"" -D "samples=$samples" -D "seq=$seq" -D "format=\"$format\"" -D "again=$again" _torch.ts 2>/dev/null |
    sed -nE '/"peak_bytes"/{s/.*"peak_bytes":[[:space:]]*([0-9]+).*/\1/p;q}' |
    awk -v row="$(printf '%-9s %8s %5s %7s %6s' "$name" "$samples" "$seq" "$format" "$again")" -v theirs="$bytes" \
      '{ printf "%s %10.3f %10.3f %9.2f %%\n", row, $1 / 2^30, theirs / 2^30, 100 * ($1 / theirs - 1) }'
done
