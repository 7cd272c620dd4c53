trainspec trace _cut.json | tail -n 9
