// Accelerate as a plan: its files and arguments are those of std.frameworks.transformers.
export import std.frameworks.transformers
