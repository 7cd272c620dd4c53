trainspec trace --diff _small.json _small_1.json; trainspec trace --diff --format=json _small.json _small_1.json | tail -12; trainspec trace --diff _small.json 2>&1
