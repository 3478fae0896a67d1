# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by scripts that run in stages: `stage NAME COMMAND...` runs and times a command; when the script
# ends, however it ends, a table says how long each stage took.
stage_names=()
stage_times=()
stage_now=""

# Of this process. OMP_NUM_THREADS and OMP_THREAD_LIMIT would change what nproc says.
processors() { env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc; }

seconds_now() { echo "${EPOCHREALTIME/[.,]/}"; }

stage() {
  stage_now=$1
  shift
  printf '\n== %s\n' "$stage_now"
  local begin
  begin=$(seconds_now)
  "$@"
  stage_names+=("$stage_now")
  stage_times+=("$(($(seconds_now) - begin))")
  stage_now=""
}

in_seconds() { printf '%d.%d s' $(($1 / 1000000)) $(($1 / 100000 % 10)); }

print_stages() {
  local status=$? i total=0
  printf '\n'
  for i in "${!stage_names[@]}"; do
    printf '%-12s %10s\n' "${stage_names[$i]}" "$(in_seconds "${stage_times[$i]}")"
    total=$((total + stage_times[i]))
  done
  if [[ -n $stage_now ]]; then printf '%-12s %10s\n' "$stage_now" failed; fi
  printf '%-12s %10s\n' total "$(in_seconds "$total")"
  return "$status"
}
trap print_stages EXIT
