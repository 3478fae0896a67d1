# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced. gpu_architecture prints the newest GPU architecture of this machine as CMake wants it; without a
# GPU, the one that is compiled for everywhere. has_gpu: whether there is one.
gpu_architecture() {
  local found=""
  if command -v nvidia-smi > /dev/null; then
    found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | tr -d '. ' | sort -n | tail -n 1) || true
  fi
  if [[ $found =~ ^[0-9]+$ ]]; then echo "$found"; else echo 90; fi
}
has_gpu() {
  nvidia-smi --list-gpus 2> /dev/null | grep -q .
}
