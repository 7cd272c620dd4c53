fn a(x:String)->Int=match x{"a"|"b"->1,"c"->2;_->3,}
fn b(x:String)->Int=match   f( x ) {

"a" ->
  1
  // others
  _ -> if x=="b" then -1 else 3 // not "b"
}
fn c(n:Int) -> List=[match n{-1->[ 1,2 ],_->[match n{1->2,_->3}]},match true{true->0,false->1}.a]
let d=match "a rather long text to compare with others of its kind"{"another rather long text"|"and another one of these"->"long",_->"short"}
model m(k: Int) {
  match = f(match:k)
  x = match k{1->input([1],fp32),_->input([2],fp32)}as first
}
