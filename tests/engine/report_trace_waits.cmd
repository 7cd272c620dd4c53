# A wait inside of an item is a slice of its own on the track of work, which the item's slices leave out.
tsrun -o /dev/null --trace="$scratch/t.json" --level=items _trace_waits.tsir; grep '"ph":"X"' "$scratch/t.json"
