./count.sh clip &&
./compile.sh 'dp tp pp all' 'clip_vit_b32()' 'clip_vit_b16()' 'clip_vit_l14()'
