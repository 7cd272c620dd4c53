tsrun --blame straggler.tsir | sed -n '/^Ranks that/,/^$/p'; tsrun --blame --format=json straggler.tsir | sed -n '/"waits"/,/\]/p'
