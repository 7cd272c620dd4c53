printf 'let a = 1\n' > $scratch/good.ts; printf 'let  a=1' > $scratch/bad.ts; cd $scratch; tsfmt --check good.ts bad.ts; echo "exit $?"; cat bad.ts
