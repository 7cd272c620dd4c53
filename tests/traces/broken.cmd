trainspec trace _broken.json
