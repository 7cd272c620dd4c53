trainspec replay --step 2 _small.json
