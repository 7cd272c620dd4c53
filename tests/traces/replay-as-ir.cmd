trainspec replay -o $scratch/r.ir _small.json >/dev/null && tsrun $scratch/r.ir | sed -n "1,12p"
