./count.sh t5 &&
./compile.sh 'dp tp pp all' 't5_small()' 't5_11b()' &&
./compile.sh 'sp cp uly all' 't5_small(target: 128)' 't5_11b(target: 128)'
