trainspec trace _nsys.sqlite && trainspec replay _nsys.sqlite | sed -n 1,5p
