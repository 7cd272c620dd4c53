./count.sh vgg &&
./compile.sh 'dp pp' 'vgg13()' 'vgg19()'
