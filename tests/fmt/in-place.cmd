mkdir $scratch/place; cd $scratch/place; printf 'let  a=1' > i.ts; printf 'let a =' > broken.ts; tsfmt -i i.ts broken.ts 2>&1; echo "exit $?"; cat i.ts broken.ts; echo; ls
