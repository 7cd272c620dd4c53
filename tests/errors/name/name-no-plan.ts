import std.models.gpt, std.clusters.dgx

let nodes = 1
