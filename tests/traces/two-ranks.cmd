trainspec trace _small.json _small_1.json | sed -n "/together/,\$p"
