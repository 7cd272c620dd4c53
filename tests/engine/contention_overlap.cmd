# The kernel of 0.5 ms takes 0.75 ms beside the rows' gather, which gets on at 0.8 of its rate meanwhile: 0.6 of 1.002 ms. Then columns begin; from 0.752 ms on both share links: rows end
# at 1.552 ms, columns, 0.4 of 1 ms done by then, at 2.152 ms. With factors of 1 it is the play without slowdown.
for o in "" "--overlap constant:1" "--overlap constant:1.5:1.25"; do echo "${o:-alone}: $(tsrun --contention $o contention.tsir | grep step.time)"; done
tsrun --overlap constant:1.5:1.25 contention.tsir | grep step.time
