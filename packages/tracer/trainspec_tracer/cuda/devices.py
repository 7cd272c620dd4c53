"""Properties of GPUs, as torch.cuda.get_device_properties says them.

Memory, processors and L2 are those of stdlib/gpus/*.ts, which names their sources (a test compares them). Threads, registers and shared memory follow from the compute capability:
CUDA C++ Programming Guide 12.8, table "Technical Specifications per Compute Capability".
"""
import types

# name: as the driver calls it, compute capability, memory (MiB), reserved by the context (GiB), processors, L2 (MiB)
GPUS = {
    "v100_sxm_32g": ("Tesla V100-SXM2-32GB", (7, 0), 32510, 0.45, 80, 6),
    "a100_sxm_40g": ("NVIDIA A100-SXM4-40GB", (8, 0), 40536, 0.5, 108, 40),
    "a100_sxm_80g": ("NVIDIA A100-SXM4-80GB", (8, 0), 81251, 0.5, 108, 40),
    "a100_pcie_80g": ("NVIDIA A100 80GB PCIe", (8, 0), 81251, 0.5, 108, 40),
    "a800_sxm_80g": ("NVIDIA A800-SXM4-80GB", (8, 0), 81251, 0.5, 108, 40),
    "a40": ("NVIDIA A40", (8, 6), 46068, 0.45, 84, 6),
    "l4": ("NVIDIA L4", (8, 9), 23034, 0.45, 58, 48),
    "l40s": ("NVIDIA L40S", (8, 9), 46068, 0.45, 142, 96),
    "h100_sxm": ("NVIDIA H100 80GB HBM3", (9, 0), 81559, 0.6, 132, 50),
    "h800_sxm": ("NVIDIA H800", (9, 0), 81559, 0.6, 132, 50),
    "h20_sxm": ("NVIDIA H20", (9, 0), 97871, 0.6, 78, 60),
    "h200_sxm": ("NVIDIA H200", (9, 0), 143771, 0.6, 132, 50),
    "b200_sxm": ("NVIDIA B200", (10, 0), 183359, 0.7, 148, 126),
}

# Per compute capability: threads of a processor, its shared memory, what a block may ask for (KiB)
PROCESSORS = {(7, 0): (2048, 96, 96), (8, 0): (2048, 164, 163), (8, 6): (1536, 100, 99), (8, 9): (1536, 100, 99), (9, 0): (2048, 228, 227), (10, 0): (2048, 228, 227)}


class Properties(types.SimpleNamespace):
    """Stands for torch._C._CudaDeviceProperties."""


def properties(name):
    """Of a GPU of the table. KeyError: it has none of that name."""
    called, capability, memory, reserved, processors, cache = GPUS[name]
    threads, shared, block = PROCESSORS[capability]
    return Properties(name=called, major=capability[0], minor=capability[1], total_memory=(memory << 20) - int(reserved * 2**30), multi_processor_count=processors,
                      max_threads_per_multi_processor=threads, regs_per_multiprocessor=65536, warp_size=32, shared_memory_per_block=48 << 10,
                      shared_memory_per_block_optin=block << 10, shared_memory_per_multiprocessor=shared << 10, L2_cache_size=cache << 20, is_integrated=0,
                      is_multi_gpu_board=0, gcnArchName="", uuid="GPU-00000000-0000-0000-0000-000000000000")
