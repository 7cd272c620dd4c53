trainspec trace _small.json
