./count.sh deepseek &&
./compile.sh 'dp tp sp cp uly ep pp all most' 'deepseek_v3()' 'deepseek_v3(mtp: 0)' 'kimi_k2()' 'moonlight_16b()'
