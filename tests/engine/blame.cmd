tsrun --blame straggler.tsir | sed -n '/^Who/,/^$/p'; tsrun --blame --format=json straggler.tsir | sed -n '/"waits"/,/\]/p'
