# What an answer rests on stands in every format: the share that was skipped, and the tolerance.
tsrun --format json steady.tsir | jq -c '[.links.steady, (.links.tiers[] | .packets, .packets_skipped)]'
tsrun --format csv steady.tsir | sed -n '1,2p' | tr , '\n' | grep -n packets_ | head -5
tsrun --format html -o "$scratch/page.html" steady.tsir; grep -o 'steady within 1 %' "$scratch/page.html" | head -1
