printf 'slowdown 1\nmodel constant\nslow 1.2 1.1\n' >"$scratch/slow.txt"
s=../engine/two_stages.tsir
digests() { grep -A1 '"file"' | grep -o '[0-9a-f]\{64\}'; }
echo "a pipe:"; tsrun --format=json --overlap=<(cat "$scratch/slow.txt") $s | digests; sha256sum <"$scratch/slow.txt"
echo "standard input:"; tsrun --format=json --diff=- $s <$s | digests; sha256sum <$s
echo "the last counts:"; tsrun --verbose --diff=none.tsir --diff=$s $s | grep -A1 options
echo "unreadable:"; mkdir "$scratch/folder.json"; tsrun --overlap="$scratch/folder.json" $s 2>&1 | sed "s|$scratch|SCRATCH|"; rmdir "$scratch/folder.json"; tsrun --overlap=none.json $s
