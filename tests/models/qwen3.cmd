./count.sh qwen3 &&
./compile.sh 'dp tp sp pp all' 'qwen3_0_6b()' 'qwen3_1_7b()' 'qwen3_4b()' 'qwen3_8b()' 'qwen3_14b()' 'qwen3_32b()'
