./count.sh lora &&
./compile.sh 'dp tp sp cp pp all' 'llama2_70b_lora()'
