./count.sh qwen3 &&
./compile.sh 'dp tp sp cp pp all' 'qwen3_0_6b()' 'qwen3_32b()' &&
./compile.sh 'dp tp sp cp ep pp all most' 'qwen3_30b_a3b()' 'qwen3_235b_a22b()'
