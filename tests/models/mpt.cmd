./count.sh mpt &&
./compile.sh 'dp tp sp cp pp all' 'mpt_7b()' 'mpt_30b()'
