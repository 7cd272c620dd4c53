// Moved: std.accuracy.calibration.
export import std.accuracy.calibration
