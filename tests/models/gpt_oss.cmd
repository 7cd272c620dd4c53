./count.sh gpt_oss &&
./compile.sh 'dp tp sp cp ep pp all most' 'gpt_oss_20b()' 'gpt_oss_120b()'
