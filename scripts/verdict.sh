# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced: a verdict of the tests stands for as long as nothing that it depends on has changed. `fingerprint BUILD` prints a number for all
# of that: every file of the source tree, the programs and settings in the folder BUILD, the system's packages, the processors and the GPU
# with its driver, the matrices, and the variables that programs and tests read. What is not in it is the hour and the load of the machine.
fingerprint() {
  local build=$1 matrices=${GOSSAMER_MATRICES-}
  {
    find . \( -path ./.git -o -path ./build -o -path './build-*' -o -path ./.venv -o -name '*.pyc' \) -prune -o -type f -print0 | sort -z | xargs -0 b2sum
    find "$build" -path '*/Testing' -prune -o -type f \( -perm -u+x -o -name '*.a' -o -name '*.so*' -o -name CMakeCache.txt -o -name CTestTestfile.cmake \) -print0 |
      sort -z | xargs -0 b2sum
    if command -v dpkg-query > /dev/null; then dpkg-query --show || true; fi
    grep -E '^(model name|flags)' /proc/cpuinfo | sort -u || true
    nproc
    if command -v nvidia-smi > /dev/null; then nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true; fi
    if [[ -n $matrices ]]; then find "$matrices" -maxdepth 1 -printf '%f %s %T@\n' | sort || true; fi
    env | grep -E '^(GOSSAMER_|GTEST_|OMP_|LD_|CUDA_|VIRTUAL_ENV=|CONDA_PREFIX=)' | sort || true
  } 2>&1 | b2sum
}
