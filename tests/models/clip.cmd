./count.sh clip &&
./compile.sh 'dp tp pp all' 'clip_vit_b32()' 'clip_vit_l14()' &&
./compile.sh 'sp cp uly all' 'clip_vit_b32(pad: 8)' 'clip_vit_l14(pad: 8)'
