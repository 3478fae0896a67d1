#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# check_isa.sh OBJDUMP FILE...: fails where a function outside the namespaces avx2 and avx512 has a VEX or
# EVEX instruction, that is one whose name begins with v and that names an xmm, ymm or zmm register (or
# vzeroupper, or a mask register). Such a function would stop machines without AVX.
#
# Looked at are all C++ functions, ours and the instantiations of std:: templates, and C functions named
# gossamer_*. Other C functions come from the static CUDA runtime and zlib, which choose their code at run
# time.
set -euo pipefail
objdump=$1
shift
linked=$(mktemp)
trap 'rm -f "$linked"' EXIT

# An object has a section for each template, and objdump takes minutes for some thousands of them: they are
# made one.
disassemble() {
  local file
  for file; do
    if [[ $file == *.o ]]; then
      ld -r --force-group-allocation -T <(echo 'SECTIONS { .text : { *(.text .text.*) } }') -o "$linked" "$file"
      file=$linked
    fi
    "$objdump" --disassemble --no-show-raw-insn --wide "$file"
  done
}

# Names are demangled in what is reported alone: objdump would do so for the target of every call.
disassemble "$@" | awk -v files="$#" '
  /^[0-9a-f]+ <.*>:$/ {
    name = $0
    sub(/^[0-9a-f]+ </, "", name)
    sub(/>:$/, "", name)
    foreign = name !~ /^_Z/ && name !~ /^gossamer/
    allowed = name ~ /4avx2/ || name ~ /6avx512/
    functions += !foreign
    next
  }
  foreign { next }
  /\tv[a-z0-9]+[ \t].*%[xyz]mm/ || /\tvzero(upper|all)/ || /\tk[a-z]+[bwdq][ \t].*%k[0-7]/ {
    if (allowed) { expected++; next }
    found[name]++
    if (found[name] == 1) example[name] = $0
  }
  END {
    for (name in found) {
      printf "isa: %s has %d AVX instructions outside an AVX namespace, the first: %s\n", name, found[name], example[name]
      wrong++
    }
    if (wrong) exit 1
    if (!functions || !expected) {
      printf "isa: nothing was checked: %d functions, %d AVX instructions in %d files\n", functions, expected, files
      exit 1
    }
    printf "%d functions, %d AVX instructions, all of them in AVX namespaces\n", functions, expected
  }' | c++filt
