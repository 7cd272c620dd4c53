./count.sh densenet &&
./compile.sh 'dp pp' 'densenet121()' 'densenet201()'
