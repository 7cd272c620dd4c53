cd $scratch; printf '// a\n\n\nlet  a=1\nlet b = 2\nlet c = 3\nlet d = 4\nlet e = 5' > d.ts; tsfmt --diff d.ts
