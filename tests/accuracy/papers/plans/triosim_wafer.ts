// TrioSim's wafer (section 7.1): 84 A100 as a mesh, or joined by circuits of light. 128 samples over all of them are two a GPU.
import std.models.vgg, std.clusters.meshes, std.strategies.data, std.optimizers.adam, std.precision, std.gpus.nvidia

cluster photons(rate: Rate, setup: Time, ports: Int) {
  device die[12, 7]: a100_sxm_40g
  switch light[1]
  for i in 0..12, j in 0..7 {
    link die[i, j] <-> light[0] { bandwidth = rate, latency = 0.25 us, tier = 0, ports = ports, setup = setup }
  }
}

plan triosim_wafer(light: Bool = false, rate: Rate = 32 GB/s, optical: Rate = 60.5 GB/s, ports: Int = 8, setup: Time = 20 ns, b: Int = 2) {
  model = vgg19()
  cluster = if light then photons(optical, setup, ports) else wafer_mesh(rows: 12, columns: 7, kind: a100_sxm_40g, rate: rate)
  mesh = { dp: 84 }
  apply = [data_parallel(dp, bucket: 25 MiB, overlap: false)]
  batch = { micro: b, global: 84 * b }
  tokens = 1
  precision = torch_fp32()
  optimizer = adam()
  costs = [roofline(a100_sxm_40g, flops: 0.6, bytes: 0.8)]
  network = [flow(channels: 1)]
}
