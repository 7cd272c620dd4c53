./count.sh llama &&
./compile.sh 'dp tp sp cp uly pp all' 'llama2_7b()' 'llama3_405b()'
