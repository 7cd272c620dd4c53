tsrun -D dp=2 -D pp=4 -D micro_batches=4 examples/resnet50.ts
