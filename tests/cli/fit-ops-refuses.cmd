trainspec fit ops; echo $?; trainspec fit ops t.csv --devise x; echo $?; trainspec fit ops t.csv --units 0; echo $?; trainspec fit ops t.csv --keep 2; echo $?
cd $scratch; trainspec fit ops none.csv --device x --units 1 -o x
