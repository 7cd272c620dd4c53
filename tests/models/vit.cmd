./count.sh vit &&
./compile.sh 'dp tp pp all' 'vit_b16()' 'vit_l16()' 'vit_h14()'
