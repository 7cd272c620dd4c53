// Moved: std.costs.prices.
export import std.costs.prices
