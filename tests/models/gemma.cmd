./count.sh gemma &&
./compile.sh 'dp tp sp cp uly pp all' 'gemma2_2b()' 'gemma3_27b()' &&
./compile.sh 'dp pp' 'gemma3_1b()'
