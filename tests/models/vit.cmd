./count.sh vit &&
./compile.sh 'dp tp pp all' 'vit_b16()' 'vit_h14()' &&
./compile.sh 'sp cp uly all' 'vit_b16(pad: 8)' 'vit_h14(pad: 8)'
