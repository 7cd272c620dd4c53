./count.sh nemotron &&
./compile.sh 'dp tp sp cp pp all' 'nemotron4_15b()' 'nemotron4_340b()' &&
./compile.sh 'dp tp sp pp all' 'nemotron_h_56b()' &&
./compile.sh 'dp tp sp ep pp all most' 'nemotron3_nano()' 'nemotron3_ultra()'
