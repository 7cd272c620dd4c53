// Moved: std.costs.training.
export import std.costs.training
