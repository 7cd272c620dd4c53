./count.sh resnet &&
./compile.sh 'dp pp' 'resnet18()' 'resnet152()'
