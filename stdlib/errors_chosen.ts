// Moved: std.accuracy.errors_chosen.
export import std.accuracy.errors_chosen
