#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes the archives of this folder again, by GNU tar, Python's tarfile and zstd.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$PWD
matrix='%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1.5\n3 2 -2\n2 1 4\n'
how=(--owner=0 --group=0 --numeric-owner --mtime=@0 --sort=name)
cd "$scratch"
long=$(printf 'folder_%.0s' {1..20})
mkdir -p m "$long"
printf "$matrix" > m/m.mtx
printf "$matrix" > "$long/m.mtx"
printf 'text\n' > m/README
tar "${how[@]}" --format=gnu -cf "$here/gnu.tar" m
tar "${how[@]}" --format=gnu -cf - "$long" | gzip -9n > "$here/gnu_long_name.tar.gz"
tar "${how[@]}" --format=pax --pax-option=delete=atime,delete=ctime,exthdr.name=h -cf "$here/pax.tar" "$long"
python3 - "$here" "$long" << 'END'
import sys, tarfile
here, long = sys.argv[1:]
with tarfile.open(f"{here}/ustar_prefix.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
    archive.add("m/m.mtx", f"{'p' * 90}/{'q' * 60}/m.mtx")
END
tar "${how[@]}" --format=oldgnu -cf - m | gzip -9n > "$here/v7_in_gnu.tar.gz"
zstd -q -19 -c "$here/gnu.tar" > "$here/gnu.tar.zst"
printf "$matrix" | zstd -q --check -c > "$here/small.mtx.zst"
{ printf '%%%%MatrixMarket matrix coordinate pattern general\n1 1 400000\n'; yes '1 1' | head -n 400000; } |
  zstd -q -19 -c > "$here/large.mtx.zst"
