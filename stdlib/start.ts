// Moved: std.tools.start.
export import std.tools.start
