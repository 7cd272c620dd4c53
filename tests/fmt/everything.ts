import   std.ops.nn ,"near.ts"
export   import std.schedules.hop( ring ,double_ring  as both,),"near.ts"(near)
param  width:Int=80*2 ; let sizes:List[Int]=[1,2,3,]
fn area( w:Int,h : Int=-1 )->Int=w*h   // of a box
extern fn measured( m:Int )->Time from "lib.so"
gpu small{memory=16GiB,bandwidth=900   GB/s; peak={ fp32:15.7TFLOP/s,bf16:125 TFLOP/s }}
op scale(x:Tensor,bias:Bool=false){
weight w:[last(x.shape)]dtype fp32 if bias
  output y:x.shape
  whole x dim-1
  require len(x.shape)>0,"a tensor has dimensions"
  forward{kernel elementwise if bias{reads=[x,w],writes=[y]} kernel elementwise{reads=[x],writes=[y]}}
  backward( input ){kernel elementwise{
    reads=[dy], writes=[dx]}}
  saves[x]if bias
}
block half(x:Tensor){ yield scale(x) as scale }
model net(layers:Int){
  x=input([batch,4],fp32)
  repeat layers as layer{x=half(x)}
  if layers>3{x=half(x)as extra}else if layers>2{x=half(x)}else{}
  yield x
}
model traced=trace( "t.csv" )
strategy rows(t:Axis){
  rule first optional{match scale|linear as"*.a"|"*.b"where true

    split x dim-1,w dim 0 over t;after backward(input):all_reduce(dx,dim:1, over: t, bucket: 25MiB, overlap: true)}
}
schedule turns(p:Axis,m:Int){stages p of[1,2];chunks 2 place deal
  at s in 0..p{for i in 0..m where i%2==0{F(i)B(i)} pair F(1)with B(0)}
  depend again:F(i)at s on F(i)at s-1 sending link where s>0
}
cluster pair(kind:Gpu){device gpu[2]:kind;switch hub[1]
  for a in 0..2,b in 0..1{link gpu[a]<->hub[b]{bandwidth=10GB/s,latency=1us,tier=0}}
}
search s of p{vary n in[1,2,3];set k=n*2
  require n<3,"small";let t=step_time*n
  minimize t}
plan p(n:Int=2){
  model=net(layers:n);cluster=pair(kind:small)with{link gpu[0]->hub[*]{bandwidth=1GB/s}}
  costs=[table"ops.csv",{gemm:measured},roofline(small,flops:0.7)]
}
record span{first:Int;count:Int=2*first,name:String=none}
record empty{}
record longer {
  first:Int // of all
  others:List[List[span]]=[],}

gpu larger=small with{memory=2GiB;l2=1MiB}
gpu broken=small with {
memory=2GiB,
  called=["x"]}
