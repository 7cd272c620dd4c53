"""ResNet with bottlenecks (He et al. 2016; 50 layers unless told) under DistributedDataParallel, gradients accumulated over micro-batches (no_sync), SGD with momentum."""
import argparse
import contextlib

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--blocks", default="3,4,6,3", help="bottlenecks of each stage")
p.add_argument("--width", type=int, default=64)
p.add_argument("--image", type=int, default=224)
p.add_argument("--classes", type=int, default=1000)
p.add_argument("--batch", type=int, default=2)
p.add_argument("--accumulate", type=int, default=4)
o = p.parse_args()


def convolution(before, after, kernel, stride=1):
    return nn.Sequential(nn.Conv2d(before, after, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(after))


class Bottleneck(nn.Module):
    def __init__(self, before, width, stride):
        super().__init__()
        self.narrow, self.middle, self.wide = convolution(before, width, 1), convolution(width, width, 3, stride), convolution(width, 4 * width, 1)
        self.beside = convolution(before, 4 * width, 1, stride) if stride > 1 or before != 4 * width else nn.Identity()

    def forward(self, x):
        return F.relu(self.wide(F.relu(self.middle(F.relu(self.narrow(x))))) + self.beside(x))


class ResNet(nn.Module):
    def __init__(self, counts, width, classes):
        super().__init__()
        self.stem, stages, before = convolution(3, width, 7, 2), [], width
        for stage, count in enumerate(counts):
            for block in range(count):
                stages.append(Bottleneck(before, width << stage, 2 if stage and not block else 1))
                before = 4 * width << stage
        self.stages, self.head = nn.Sequential(*stages), nn.Linear(before, classes)

    def forward(self, x):
        x = self.stages(F.max_pool2d(F.relu(self.stem(x)), 3, 2, 1))
        return self.head(x.mean((2, 3)))


dist.init_process_group("gloo")
torch.manual_seed(1)
model = nn.parallel.DistributedDataParallel(ResNet([int(n) for n in o.blocks.split(",")], o.width, o.classes))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(3):  # the buckets of DDP are settled in the second
    for part in range(o.accumulate):
        with contextlib.nullcontext() if part == o.accumulate - 1 else model.no_sync():
            images, labels = torch.randn(o.batch, 3, o.image, o.image), torch.randint(o.classes, (o.batch,))
            (F.cross_entropy(model(images), labels) / o.accumulate).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
