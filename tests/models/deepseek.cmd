./count.sh deepseek &&
./compile.sh 'dp tp sp pp all' 'deepseek_v3()' 'deepseek_v3(mtp: 0)'
