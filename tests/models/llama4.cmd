./count.sh llama4 &&
./compile.sh 'dp tp sp pp all' 'llama4_scout()' 'llama4_maverick()'
