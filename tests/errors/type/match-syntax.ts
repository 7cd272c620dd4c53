// What people write who know other languages.
fn a(name: String) -> Int = match name { "x" => 1, _ -> 2 }
fn b(name: String) -> Int = match name { "x": 1, _ -> 2 }
fn c(name: String) -> Int = match name { "x" -> 1, "y", "z" -> 2 }
fn d(name: String) -> Int = match name { "x" -> 1, else -> 2 }
fn e(name: String) -> Int = match name { "x" 1 }
