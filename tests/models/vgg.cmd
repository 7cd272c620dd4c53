./count.sh vgg &&
./compile.sh 'dp pp' 'vgg13()' 'vgg16()' 'vgg19()'
