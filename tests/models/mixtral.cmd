./count.sh mixtral &&
./compile.sh 'dp tp sp cp uly ep pp all most' 'mixtral_8x7b()' 'mixtral_8x22b()'
