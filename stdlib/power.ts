// Moved: std.costs.power.
export import std.costs.power
