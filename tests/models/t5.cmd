./count.sh t5 &&
./compile.sh 'dp tp pp all' 't5_small()' 't5_base()' 't5_large()' 't5_3b()' 't5_11b()'
