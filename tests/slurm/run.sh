#!/usr/bin/env bash
# Parts of a sweep by Slurm's own daemons on this machine (./dev slurm): run.sh BUILD. As TAP. Skips with a message where Slurm is absent.
set -u
. "$(dirname "$0")/../tap.sh"
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 1
for program in slurmctld slurmd sbatch munged; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || skip_all "slurm: no $program (apt-get install slurmctld slurmd slurm-client munge)"
done
scratch=$(mktemp -d) || exit 1
daemons=()
end() { # slurmd may wait for a controller that has gone
  kill "${daemons[@]}" 2>/dev/null
  sleep 1
  kill -9 "${daemons[@]}" 2>/dev/null
  wait 2>/dev/null
  rm -rf "$scratch"
}
trap end EXIT
chmod 755 "$scratch"
cd "$scratch" || exit 1
export PATH="$build:$PATH:/usr/sbin" SLURM_CONF=$scratch/slurm.conf
begin() { "$@" >>daemons.log 2>&1 & daemons+=($!); }

mkdir state spool run
head -c 1024 /dev/urandom >key
chmod 400 key
host=$(hostname -s) user=$(id -un)
cat >slurm.conf <<CONF
ClusterName=one
SlurmctldHost=$host
AuthType=auth/munge
AuthInfo=socket=$scratch/run/munge
SlurmUser=$user
SlurmdUser=$user
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/run/slurmctld.pid
SlurmdPidFile=$scratch/run/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
MpiDefault=none
NodeName=$host CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
begin munged --force --foreground --socket="$scratch/run/munge" --key-file="$scratch/key" --pid-file="$scratch/run/munged.pid" \
  --log-file="$scratch/munged.log" --seed-file="$scratch/seed"
sleep 1
begin slurmctld -D
begin slurmd -D
for ((tries = 0; ; tries++)); do
  [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || break
  [ $tries -lt 100 ] || { tail -n 20 daemons.log | sed 's/^/# /'; skip_all "slurm: its daemons do not start here"; }
  sleep 0.2
done

cp "$root/tests/cli/_sweep.ts" plan.ts
all="--vary m=2001..2031 --set dp=2"
trainspec sweep $all --format csv plan.ts >one.csv 2>/dev/null
trainspec sweep --sbatch 3 $all --journal parts.db plan.ts >job.sh
check 'slurm/the script is run by sbatch, in three parts' timeout 120 sbatch --wait --output=log.%a job.sh
check 'slurm/all parts are there' ls parts.db.1 parts.db.2 parts.db.3
check 'slurm/they are merged' trainspec sweep merge -o parts.db parts.db.3 parts.db.1 parts.db.2
same() { trainspec sweep $all --format csv --journal parts.db --resume plan.ts 2>/dev/null | cmp one.csv - && trainspec sweep status parts.db | grep -q '30 of 30 plans, 0 of them'; }
check 'slurm/the same bytes as one process, and nothing is played again' same
if trainspec --version | grep -q '(MPI)'; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  by_srun() { timeout 60 srun --mpi=pmix --overcommit -n 3 trainspec sweep $all --format csv plan.ts 2>/dev/null | cmp one.csv -; }
  case $(srun --mpi=list 2>&1) in *pmix*) check 'slurm/srun starts processes of MPI' by_srun ;; esac
fi
summary
