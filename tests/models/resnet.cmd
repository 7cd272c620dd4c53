./count.sh resnet &&
./compile.sh 'dp pp' 'resnet18()' 'resnet34()' 'resnet50()' 'resnet101()' 'resnet152()'
