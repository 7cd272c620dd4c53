# Plans that run as shipped. Lists: ./dev sources.

#: nobase_dist_pkgdata_DATA += examples/*.ts examples/*.c examples/*.h examples/*.md examples/*.ipynb examples/data/*
nobase_dist_pkgdata_DATA += \
	examples/data/gpt.0.json.gz \
	examples/data/gpt.1.json.gz \
	examples/data/gpt.2.json.gz \
	examples/data/gpt.3.json.gz \
	examples/data/gpt2_large_a100_b1.csv \
	examples/data/gpt2_large_a100_b4.csv \
	examples/data/gpt2_large_h100_b1.csv \
	examples/data/gpt2_large_h100_b4.csv \
	examples/data/gpt_recorded.csv \
	examples/data/resnet50_h100_b128.csv \
	examples/deepseek_v3.ts \
	examples/degrees.ts \
	examples/embed.c \
	examples/extern_cost.c \
	examples/extern_cost.ts \
	examples/gpt2_large.ts \
	examples/gpt3_175b.ts \
	examples/hop.ts \
	examples/imported.ts \
	examples/large.ts \
	examples/llama3_70b.ts \
	examples/local_sgd.ts \
	examples/my_schedule.ts \
	examples/notebook.ipynb \
	examples/recorded.ts \
	examples/resnet50.ts \
	examples/schedule_lab.ts \
	examples/simai_suite.ts \
	examples/traced.ts \
	examples/wafer.ts \
	examples/zero_bubble.ts

