# Each machine of std.machines has a word of its own name for machine_named, and no word is of another.
sed -nE 's/^let machine_([a-z0-9_]+): Machine = .*/\1 machine_\1/p' ../../stdlib/machines.ts | sort >"$scratch/machines"
sed -nE 's/.*\{ word: "([^"]*)", machine: (machine_[a-z0-9_]*) \},$/\1 \2/p' ../../stdlib/machines.ts | sort >"$scratch/named"
diff "$scratch/machines" "$scratch/named" && [ -s "$scratch/named" ] && echo 'all are named'
