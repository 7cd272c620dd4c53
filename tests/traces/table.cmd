trainspec table _small.json
