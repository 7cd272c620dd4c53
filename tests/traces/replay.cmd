trainspec replay _small.json
