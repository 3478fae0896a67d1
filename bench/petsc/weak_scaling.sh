#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# weak_scaling.sh EX45 PLUGIN OUTPUT_FOLDER [SIDE [MOST]]: the same work for each process, with 1, 2, 4 ...
# MOST (default: as many as there are GPUs, else 4) processes. PETSc's ksp ex45 on SIDE x SIDE x (SIDE times
# processes) points (default 200), 200 steps of conjugate gradients with Jacobi, by AIJ on the GPU and by
# Gossamer, a GPU each; on a machine without GPUs by AIJ and Gossamer on CPUs. Leaves NAME-PROCESSES-PASS.txt
# and .csv (-log_view) in the folder and prints a line for each: the time of a MatMult (pass products: each
# event waits for the GPU), of a step of the solver (pass steps: they do not wait), both without what the
# first product prepares, the matrix on the GPU, and how long that took in the slowest process.
set -u
example=$(realpath "${1:?weak_scaling.sh EX45 PLUGIN OUTPUT_FOLDER [SIDE [MOST]]}") plugin=$(realpath "${2:?PLUGIN}") out=${3:?OUTPUT_FOLDER}
side=${4-200}
steps=200
mkdir -p "$out" || exit 2
export GOSSAMER_CACHE='' OPENBLAS_NUM_THREADS=1
cores=$(nproc)
gpus=$(nvidia-smi -L 2> /dev/null | wc -l)
most=${5-$((gpus > 0 ? gpus : 4))}

# seconds FILE EVENT...: the first event's time less the others', of the process where that is least, since
# the others wait for the one that prepares longest. Columns are found by their titles.
seconds() {
  local file=$1
  shift
  awk -F, -v events="$*" '
    BEGIN { number = split(events, name, " ") }
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["Stage Name"] == "Main Stage" {
      for (i = 1; i <= number; ++i)
        if ($column["Event Name"] == name[i]) time[$column["Rank"]] += (i == 1 ? 1 : -1) * $column["Time"]
    }
    END { for (rank in time) if (least == "" || time[rank] < least) least = time[rank]; print least + 0 }' "$file"
}

# longest FILE EVENT...: what the events take together, of the process where that is most.
longest() {
  local file=$1
  shift
  awk -F, -v events="$*" '
    BEGIN { split(events, name, " "); for (i in name) counts[name[i]] = 1 }
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["Stage Name"] == "Main Stage" && $column["Event Name"] in counts { time[$column["Rank"]] += $column["Time"] }
    END { for (rank in time) if (time[rank] > most) most = time[rank]; print most + 0 }' "$file"
}

# run NAME PROCESSES OPTION...
run() {
  local name=$1 processes=$2 rc=0 log pass
  shift 2
  for pass in steps products; do
    log=$out/$name-$processes-$pass
    OMP_NUM_THREADS=$((cores / processes > 0 ? cores / processes : 1)) timeout 120 mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$processes" "$example" -da_grid_x "$side" -da_grid_y "$side" -da_grid_z "$((side * processes))" \
      -ksp_type cg -pc_type jacobi -ksp_rtol 1e-30 -ksp_max_it "$steps" -ksp_converged_reason -log_view ":$log.csv:ascii_csv" \
      $([ $pass = products ] && [ "$gpus" -gt 0 ] && echo -log_view_gpu_time) "$@" > "$log.txt" 2>&1 || rc=$?
  done
  if ((rc != 0)); then
    echo "$name, $processes processes: status $rc, see $log.txt"
    return
  fi
  local prepared=(GossamerInspect MatCUSPARSCopyTo) steps_file=$out/$name-$processes-steps.csv products_file=$out/$name-$processes-products.csv
  awk -v name="$name" -v n="$processes" -v steps="$steps" -v solve="$(seconds "$steps_file" KSPSolve "${prepared[@]}")" \
    -v mult="$(seconds "$products_file" MatMult "${prepared[@]}")" -v prepare="$(longest "$steps_file" "${prepared[@]}")" 'BEGIN {
      printf "%s, %d processes: MatMult %.1f us, step %.1f us, preparing %.0f ms\n", name, n, 1e6 * mult / (steps + 1), 1e6 * solve / steps, 1e3 * prepare
    }'
}

for ((n = 1; n <= most; n *= 2)); do
  if ((gpus > 0)); then
    on_gpu=(-dm_vec_type cuda -use_gpu_aware_mpi 0)
    run aijcusparse "$n" -dm_mat_type aijcusparse "${on_gpu[@]}"
    for format in auto brc; do
      run "gossamer-$format" "$n" -dll_append "$plugin" -dm_mat_type gossamer -mat_gossamer_format "$format" -mat_gossamer_device auto "${on_gpu[@]}"
    done
  else
    run aij "$n" -dm_mat_type aij
    run gossamer "$n" -dll_append "$plugin" -dm_mat_type gossamer
  fi
done
