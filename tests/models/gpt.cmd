./count.sh gpt &&
./compile.sh 'dp tp sp pp' 'gpt2_small(vocab: 50304)' 'gpt2_medium(vocab: 50304)' 'gpt2_large(vocab: 50304)' 'gpt3_small(vocab: 51200)' 'gpt3_medium(vocab: 51200)' 'gpt3_large(vocab: 51200)' 'gpt3_xl(vocab: 51200)' 'gpt3_2_7b(vocab: 51200)' 'gpt3_6_7b(vocab: 51200)' 'gpt3_13b(vocab: 51200)' 'gpt3_175b(vocab: 51200)' 'mt_nlg_530b(vocab: 51200)' &&
./compile.sh 'dp tp5 pp' 'gpt2_xl(vocab: 51200)'
