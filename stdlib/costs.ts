// Moved: std.costs.sources.
export import std.costs.sources
