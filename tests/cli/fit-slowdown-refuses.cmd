fit() { trainspec fit slowdown "$@" 2>&1; echo "exit $?"; }
cd "$scratch"
fit
printf 'slowdown,family\n1.2,norm\n' >few.csv; fit few.csv
printf 'slowdown,colour\n1,red\n' >bad.csv; fit bad.csv
fit missing.csv
fit --from-trace few.csv
printf 'slowdown,family,time,source\n1.2,norm,1e-5,a\n1.3,,2e-5,b\n' >two.csv; fit --pairs - two.csv
printf 'slowdown,achieved_occupancy,gpu,kernel\n1.2,-1,h800,a\n' >low.csv; fit low.csv
