./count.sh gpt &&
./compile.sh 'dp tp sp pp' 'gpt2_small(vocab: 50304)' 'mt_nlg_530b(vocab: 51200)' &&
./compile.sh 'dp tp5 pp' 'gpt2_xl(vocab: 51200)'
