# Columns of numbers: lines of any ending, empty ones left out, numbers of any size; and what is none.
cd "$scratch"; printf 'layer,tokens,name\r\n0,12,a\r\n\r\n1,1e200,b\r\n2,2.5,' >t.csv
try() { echo "== $*"; echo "$*; plan p { }" >p.ts; tsc --check p.ts 2>&1 | sed '/^$/q'; }
try 'let x = column("t.csv", "tokens")[3]'; try 'let x = column("t.csv", "layer")[1] + "text"'; try 'let x = column("t.csv", "experts")'; try 'let x = column("t.csv", "name")'; try 'let x = column("none.csv", "name")'
printf 'tokens,"a ""name"", quoted"\n1,"x,\ny"\n"2",z\n' >q.csv; try 'let x = column("q.csv", "tokens")[1] + "text"'; try 'let x = column("q.csv", "a \"name\", quoted")'; printf '3,"\n' >>q.csv; try 'let x = column("q.csv", "tokens")'
