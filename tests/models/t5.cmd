./count.sh t5 &&
./compile.sh 'dp tp pp all' 't5_small()' 't5_base()' 't5_large()' 't5_3b()' 't5_11b()' &&
./compile.sh 'sp cp uly all' 't5_small(target: 128)' 't5_base(target: 128)' 't5_large(target: 128)' 't5_3b(target: 128)' 't5_11b(target: 128)'
