// Moved: std.accuracy.errors.
export import std.accuracy.errors
