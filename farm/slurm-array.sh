#!/usr/bin/env bash
# A hundred commitments as an array of Slurm, a GPU each: `sbatch slurm-array.sh TRACES ROOTS`, where TRACES/trace-0.npy, ... are the traces.
#
# Slurm sets CUDA_VISIBLE_DEVICES for each task of the array, so that `cuda:0` is the GPU that it was given; without GPUs, `--device cpu` and `--cpus-per-task`.
# A task whose node fails is requeued, and a root that is there already is not made again: files appear under their names only when they are complete.
#SBATCH --job-name=commitments
#SBATCH --array=0-99
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --time=00:30:00
#SBATCH --requeue
set -euo pipefail

traces=$1 roots=$2
number=${SLURM_ARRAY_TASK_ID:?this is a task of an array of Slurm}
root=$roots/root-$number.json
if [ -e "$root" ]; then exit; fi
zkaccel commit "$traces/trace-$number.npy" --device "${ZKACCEL_DEVICE:-cuda:0}" --threads "${SLURM_CPUS_PER_TASK:-1}" --json >"$root.new"
mv "$root.new" "$root"
