trainspec trace nowhere.json
