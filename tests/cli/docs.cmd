. ./_docs.sh
for file in getting_started logs compare sweeps python json schedules checks reports own_gpu operator_tables ../README; do page $file.md; done
