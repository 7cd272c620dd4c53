# Plans that run as shipped. Lists: ./dev sources.

#: nobase_dist_pkgdata_DATA += examples/*.ts examples/*.c examples/*.h examples/*.md examples/data/*
nobase_dist_pkgdata_DATA += \
	examples/extern_cost.c \
	examples/extern_cost.ts \
	examples/gpt3_175b.ts \
	examples/llama3_70b.ts \
	examples/my_schedule.ts

