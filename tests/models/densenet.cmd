./count.sh densenet &&
./compile.sh 'dp pp' 'densenet121()' 'densenet161()' 'densenet169()' 'densenet201()'
