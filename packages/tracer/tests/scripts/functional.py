"""Functional collectives, those with a backward, and DTensor redistributed in all ways."""
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor, DTensor

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (world,))
x = torch.ones(8, 64)
y = funcol.all_reduce(x, "sum", mesh).sin()
y = funcol.all_gather_tensor(y, 0, mesh).cos()
y = funcol.reduce_scatter_tensor(y, "sum", 0, mesh).sin()
a, b = funcol.all_reduce_coalesced([x.cos(), y], "sum", mesh)
a, b = funcol.all_gather_into_tensor_coalesced([a, b], mesh)
y = funcol.all_to_all_single(a.tan(), None, None, mesh).cos()
rows = [2 + rank] * world
y = funcol.all_to_all_single(torch.ones(sum(rows), 4), [2 + r for r in range(world)], rows, mesh).sin()
y = funcol.broadcast(y[:2].contiguous(), 0, mesh).exp()
z = torch.ones(8, 64, requires_grad=True)
out = funcol.all_to_all_single_autograd(z * 2, None, None, mesh)
out = funcol.all_gather_tensor_autograd(out.cos(), 0, mesh)
out = funcol.reduce_scatter_tensor_autograd(out.sin(), "sum", 0, mesh)
out.sum().backward()
d = distribute_tensor(torch.ones(16, 64), mesh, [Shard(0)])
d = d.redistribute(mesh, [Shard(1)]).redistribute(mesh, [Replicate()])
DTensor.from_local(torch.ones(8, 64), mesh, [Partial()]).redistribute(mesh, [Shard(0)]).full_tensor().sin()
