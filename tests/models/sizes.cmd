# Long. The sizes of each family between those that its own case has.
./compile.sh 'dp tp pp all' 'clip_vit_b16()' &&
./compile.sh 'sp cp uly all' 'clip_vit_b16(pad: 8)' &&
./compile.sh 'dp tp sp cp uly ep pp all most' 'deepseek_v3(mtp: 0)' 'kimi_k2()' &&
./compile.sh 'dp pp' 'densenet161()' 'densenet169()' &&
./compile.sh 'dp tp sp cp uly pp all' 'gemma2_9b()' 'gemma2_27b()' 'gemma3_4b()' 'gemma3_12b()' &&
./compile.sh 'dp tp sp pp' 'gpt2_medium(vocab: 50304)' 'gpt2_large(vocab: 50304)' 'gpt3_small(vocab: 51200)' 'gpt3_medium(vocab: 51200)' 'gpt3_large(vocab: 51200)' 'gpt3_xl(vocab: 51200)' 'gpt3_2_7b(vocab: 51200)' 'gpt3_6_7b(vocab: 51200)' 'gpt3_13b(vocab: 51200)' 'gpt3_175b(vocab: 51200)' &&
./compile.sh 'dp tp sp cp uly pp all' 'llama2_13b()' 'llama2_70b()' 'llama3_8b()' 'llama3_70b()' &&
./compile.sh 'dp tp sp ep pp all most' 'nemotron3_super()' &&
./compile.sh 'dp tp sp cp pp all' 'qwen3_1_7b()' 'qwen3_4b()' 'qwen3_8b()' 'qwen3_14b()' &&
./compile.sh 'dp pp' 'resnet34()' 'resnet50()' 'resnet101()' &&
./compile.sh 'dp tp pp all' 't5_base()' 't5_large()' 't5_3b()' &&
./compile.sh 'sp cp uly all' 't5_base(target: 128)' 't5_large(target: 128)' 't5_3b(target: 128)' &&
./compile.sh 'dp pp' 'vgg16()' &&
./compile.sh 'dp tp pp all' 'vit_l16()' &&
./compile.sh 'sp cp uly all' 'vit_l16(pad: 8)'
