"""The folder of CUDA's toolkit, for scripts that ask its compiler which version it is."""
import os
import pathlib
import sys

import torch

NVCC = """#!/bin/sh
case "$*" in
*-V*|*--version*) echo "nvcc: NVIDIA (R) Cuda compiler driver"; echo "Cuda compilation tools, release {version}, V{version}.0" ;;
*) echo "the stand-in for cuda compiles nothing" >&2; exit 1 ;;
esac
"""


def install(folder):
    """Writes it into a folder, where the environment names none that is there."""
    named = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    compiler = pathlib.Path(folder) / "cuda" / "bin" / "nvcc"
    if named and os.path.exists(os.path.join(named, "bin", "nvcc")):
        return
    if not compiler.exists():
        compiler.parent.mkdir(parents=True, exist_ok=True)
        compiler.write_text(NVCC.format(version=torch.version.cuda))
        compiler.chmod(0o755)
    os.environ["CUDA_HOME"] = str(compiler.parents[1])
    if "torch.utils.cpp_extension" in sys.modules:  # which has looked already
        sys.modules["torch.utils.cpp_extension"].CUDA_HOME = os.environ["CUDA_HOME"]
