# What is wrong with groups that are lists of ranks.
f=../../engine/listed_groups.tsir; try() { echo "== $1"; sed "$2" $f >$scratch/g.tsir; (cd $scratch; tsc g.tsir -o g.ir 2>&1); echo "exit $?"; }
try "a rank twice" 's/0, 1 and 2, 3/0, 1 and 2, 1/'
try "beyond the world" 's/0, 1 and 2, 3/0, 1 and 2, 9/'
try "of different sizes" 's/0, 1 and 2, 3/0, 1 and 2/'
try "no member" '/^fragment other/,/^}/s/neighbours/ends/'
try "a member that does not call" 's/^program { inner }/program { other }/; /^fragment other/,/^}/{/all_reduce/d;s/ after s//}'
try "another call" '/^fragment inner/,/^}/s/all_reduce/all_gather/'
