"""Job scripts for sweeps over nodes, sizes and protocols: for Slurm with nccl-tests, or for torchrun with PyTorch alone."""
import os

from .tables import replace

NCCL_TESTS = {"all_reduce": "all_reduce", "all_gather": "all_gather", "reduce_scatter": "reduce_scatter", "broadcast": "broadcast", "all_to_all": "alltoall", "message": "sendrecv"}
LOW, HIGH = 1024, 1 << 32
HEAD = """#!/bin/bash
# Written by `trainspec profile`: collectives of {ranks} GPUs on {nodes} nodes. Logs that are there already are kept, so a killed job is gone on with by submitting it again.
"""
SLURM = """#SBATCH --job-name=trainspec-{nodes}x{local}
#SBATCH --nodes={nodes}
#SBATCH --ntasks-per-node={local}
#SBATCH --gpus-per-node={local}
#SBATCH --exclusive
#SBATCH --time={minutes}
#SBATCH --output={name}.out
# NCCL_TESTS names the folder of nccl-tests' programs, built with MPI=1.
: "${{NCCL_TESTS:?is not set: the folder with all_reduce_perf and its like}}"
cd "${{SLURM_SUBMIT_DIR:-$(dirname "$0")}}" || exit
"""
TORCHRUN = """# Run it on each node: NODE_RANK and MASTER_ADDR say which is which ({nodes} nodes); PyTorch and this package are all that it needs.
cd "$(dirname "$0")" || exit
"""
BODY = """run() {{ # COLLECTIVE PROTOCOL
  log={name}.$1.$2.log
  [ ! -s "$log" ] || return 0
  unset NCCL_PROTO
  [ "$2" = any ] || export NCCL_PROTO=$2
  {{ echo "# $1_perf ${{NCCL_PROTO:+NCCL_PROTO=$NCCL_PROTO}}"; {command}; }} >"$log.part" && {last}mv "$log.part" "$log"
}}
"""
COMMANDS = {"slurm": 'srun "$NCCL_TESTS/$1_perf" -b {low} -e {high} -f 2 -g 1 -n 20 -w 5',
            "torchrun": 'torchrun --nnodes {nodes} --nproc-per-node {local} --node-rank "${{NODE_RANK:-0}}" --master-addr "${{MASTER_ADDR:-127.0.0.1}}" --master-port 29517 '
                        '-m trainspec_profile.ranks --sweep cuda "$1" {low} {high}'}


def script(launcher, nodes, local, protocols, minutes):
    name = f"nccl_{nodes}x{local}"
    known = {"name": name, "nodes": nodes, "local": local, "ranks": nodes * local, "minutes": minutes, "low": LOW, "high": HIGH}
    text = (HEAD + {"slurm": SLURM, "torchrun": TORCHRUN}[launcher]).format(**known)
    text += BODY.format(command=COMMANDS[launcher].format(**known), last='[ "${NODE_RANK:-0}" = 0 ] && ' if launcher == "torchrun" else "", **known)
    for kind, program in NCCL_TESTS.items():
        if kind != "message" or nodes * local == 2:
            text += "".join(f"run {program if launcher == 'slurm' else kind} {protocol}\n" for protocol in protocols)
    return name, text


def write(folder, launcher, nodes, local, protocols, minutes):
    """The names of the scripts written."""
    os.makedirs(folder, exist_ok=True)
    paths = []
    for n in nodes:
        if n * local < 2:
            continue
        name, text = script(launcher, n, local, protocols, minutes)
        paths.append(os.path.join(folder, name + (".sbatch" if launcher == "slurm" else ".sh")))
        replace(paths[-1], text)
    return paths
