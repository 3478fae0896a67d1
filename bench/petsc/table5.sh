#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# table5.sh EX19 PLUGIN OUTPUT_FOLDER [GRID [SECONDS]]: Table 5 of paper 000. Runs PETSc's ex19 with AIJ, with
# AIJ on the GPU and with Gossamer; table5.py makes a record of what it leaves: NAME.txt (what ex19 printed),
# NAME.csv and NAME.log (-log_view), NAME.seconds (the whole process) and machine.txt. With GRID = 256
# (default) ex19 takes the paper's 657 and 770 iterations. Without a GPU, what runs on CPUs alone. SECONDS
# (150) are for all runs together: one that no longer fits is stopped or left out, and says so. DEGREE in the
# environment is the polynomial's, 20.
set -u
example=$(realpath "${1:?table5.sh EX19 PLUGIN OUTPUT_FOLDER [GRID [SECONDS]]}") plugin=$(realpath "${2:?PLUGIN}") out=${3:?OUTPUT_FOLDER}
grid=${4-256}
limit=${5-150}
mkdir -p "$out" || exit 2
export GOSSAMER_CACHE='' OPENBLAS_NUM_THREADS=1
gpu=false
if nvidia-smi -L > /dev/null 2>&1; then gpu=true; fi
{
  lscpu | sed -n 's/^Model name: */cpu: /p'
  echo "threads: $(nproc)"
  if $gpu; then nvidia-smi --query-gpu=name --format=csv,noheader | sed 's/^/gpu: /' | head -n 1; fi
  echo "grid: $grid"
  echo "degree: ${DEGREE-20}"
} > "$out/machine.txt"

# run NAME OPTION...
run() {
  local name=$1 left=$((limit - SECONDS)) rc=0 begin
  shift
  if ((left < 5)); then
    echo "$name: left out, $SECONDS of $limit s have passed"
    return
  fi
  begin=$(date +%s.%N)
  timeout "$left" "$example" -da_grid_x "$grid" -da_grid_y "$grid" -snes_monitor -snes_converged_reason -ksp_converged_reason \
    -log_view ":$out/$name.csv:ascii_csv,:$out/$name.log" "$@" > "$out/$name.txt" 2>&1 || rc=$?
  awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.3f\n", b - a }' > "$out/$name.seconds"
  echo "$name: status $rc, $(cat "$out/$name.seconds") s, iterations $(sed -n 's/.*Linear solve.* iterations //p' "$out/$name.txt" | paste -sd ' ')"
}
# gossamer NAME FORMAT DEVICE OPTION...
gossamer() {
  local name=$1 format=$2 device=$3
  shift 3
  run "$name" -dll_append "$plugin" -dm_mat_type gossamer -mat_gossamer_format "$format" -mat_gossamer_device "$device" \
    -ksp_view ::ascii_info_detail "$@"
}
ilu=(-pc_type ilu)
# The nearest that PETSc ships to the paper's polynomial, of which it gives neither kind nor degree:
# Chebyshev's. Of degree 20 it takes the paper's 299 iterations in the first solve.
polynomial=(-pc_type ksp -ksp_ksp_type chebyshev -ksp_ksp_max_it "${DEGREE-20}" -ksp_ksp_convergence_test skip -ksp_ksp_norm_type none
            -ksp_pc_type jacobi)
on_gpu=(-dm_vec_type cuda -log_view_gpu_time)

if $gpu; then
  # Vectors on the GPU, as programs of today have them.
  run polynomial-aijcusparse -dm_mat_type aijcusparse "${on_gpu[@]}" "${polynomial[@]}"
  gossamer polynomial-brc brc cuda:0 "${on_gpu[@]}" "${polynomial[@]}"
  gossamer polynomial-auto auto cuda:0 "${on_gpu[@]}" "${polynomial[@]}"
  run ilu-aijcusparse -dm_mat_type aijcusparse "${on_gpu[@]}" "${ilu[@]}" -pc_factor_mat_solver_type petsc
  gossamer ilu-brc brc cuda:0 "${on_gpu[@]}" "${ilu[@]}"
  gossamer ilu-auto auto cuda:0 "${on_gpu[@]}" "${ilu[@]}"
  # Vectors on the host: copied for each product, as the paper's are.
  gossamer ilu-brc-host brc cuda:0 "${ilu[@]}"
  gossamer polynomial-brc-host brc cuda:0 "${polynomial[@]}"
  # Factors on the GPU, which the paper has not.
  run ilu-aijcusparse-factors -dm_mat_type aijcusparse "${on_gpu[@]}" "${ilu[@]}" -pc_factor_mat_solver_type cusparse
fi
run ilu-aij -dm_mat_type aij "${ilu[@]}"
# aijcusparse factors without inodes, which AIJ and types derived from it use unless told otherwise.
if $gpu; then gossamer ilu-brc-no-inode brc cuda:0 "${on_gpu[@]}" "${ilu[@]}" -mat_no_inode; fi
run ilu-aij-no-inode -dm_mat_type aij "${ilu[@]}" -mat_no_inode
gossamer ilu-brc-cpu brc cpu "${ilu[@]}"
gossamer ilu-auto-cpu auto cpu "${ilu[@]}"
gossamer polynomial-auto-cpu auto cpu "${polynomial[@]}"
gossamer polynomial-brc-cpu brc cpu "${polynomial[@]}"
run polynomial-aij -dm_mat_type aij "${polynomial[@]}"
