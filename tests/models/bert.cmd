./count.sh bert &&
./compile.sh 'dp tp sp pp all' 'bert_base()' 'bert_large()' &&
./compile.sh 'cp uly' 'bert_base(flash: true)' 'bert_large(flash: true)'
