. ./_docs.sh
for file in getting_started logs compare sweeps python json schedules checks reports ../README; do page $file.md; done
