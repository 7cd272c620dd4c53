// Moved: std.costs.hosts.
export import std.costs.hosts
