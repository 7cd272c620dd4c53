./count.sh grok &&
./compile.sh 'dp tp sp cp ep pp all most' 'grok1()'
