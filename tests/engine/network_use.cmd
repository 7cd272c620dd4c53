tsrun network_use.tsir | sed -n '/^Network/,/^$/p'; tsrun --network inner network_use.tsir | sed -n '/^Network/,/^$/p'; tsrun --format=json network_use.tsir | sed -n '/"network"/,/}],/p'
