./count.sh llama &&
./compile.sh 'dp tp sp cp uly pp all' 'llama2_7b()' 'llama2_13b()' 'llama2_70b()' 'llama3_8b()' 'llama3_70b()' 'llama3_405b()'
