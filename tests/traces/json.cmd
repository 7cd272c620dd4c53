trainspec trace --format=json _small.json _execution.json
