./count.sh deepseek &&
./compile.sh 'dp tp sp cp uly ep pp all most' 'deepseek_v3()' 'moonlight_16b()'
