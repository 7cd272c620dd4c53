// What has no source, and sources that say nothing.
let name = "text" source "a paper"
let on = true source "a paper"
let size = 3 GB source ""
let page = 3 GB source 4
fn f(n: Int source "a paper") -> Int = n
let sum = [1, 2] source "a list has one" + [3]
