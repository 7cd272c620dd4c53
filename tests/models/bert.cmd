./count.sh bert &&
./compile.sh 'dp tp pp all' 'bert_base()' 'bert_large()'
