// Moved: std.tools.ways_out.
export import std.tools.ways_out
