let a = "x[31my" // fine
// a bell  in a comment,  another
let b = "tab	here" //	too
let c = 1 //   ‮ are no control characters
