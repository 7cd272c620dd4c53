let one = 1
let t​wo = 2
let größe = 3
