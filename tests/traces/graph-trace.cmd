trainspec trace _graph_0.json _graph_1.json
