./count.sh mixtral &&
./compile.sh 'dp tp sp pp all' 'mixtral_8x7b()' 'mixtral_8x22b()'
