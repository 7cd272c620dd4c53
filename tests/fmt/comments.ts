

// top


// second
import a   , b // trailing
fn f(a:Int,b:Int)=a+   // why
  b   // end


let x = [ 1, // one
  2,
  // two and a half

  // three
  3 ]
let y = [ // open
]
let z=80GiB+3GB/s*1e3us;let q = -  3
gpu g { // [src]

  // first
  a = 1,   b = 2  // two
  // last
}
plan p { // only
}
cluster c(){
  device d[ 2 ] ; switch s[3] // here
  for i in 0..2 { link d[i] <-> s[*] { bandwidth = 3 GB/s,  latency = 1us } } }
// end
