trainspec trace _cut.json | tail -n 9
trainspec trace _cut_at_once.json 2>&1; echo "exit $?"
