./count.sh llama4 &&
./compile.sh 'dp tp sp cp uly ep pp all most' 'llama4_scout()' 'llama4_maverick()'
