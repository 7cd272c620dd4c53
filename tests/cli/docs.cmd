. ./_docs.sh
for file in getting_started logs sweeps python json schedules ../README; do page $file.md; done
