# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by run: NAME FILE OLD NEW.

mutant csr_drops_last_entry src/formats/csr/cpu_kernel.inl \
  'const int n = static_cast<int>(length);' \
  'const int n = static_cast<int>(length) - (length > 1 ? 1 : 0);'

mutant csr_skips_last_unit src/formats/csr/cpu_kernel.inl \
  'u < last_unit; ++u)
    rows_of_unit(' \
  'u < last_unit - (last_unit == a.meta.units && last_unit > 1 ? 1 : 0); ++u)
    rows_of_unit('

mutant csr_run_forgets_rows_at_its_end src/formats/csr/cpu_kernel.inl \
  'for (int r = 0; r < rest; ++r) p.finish_row(i + r, sum[r]);' \
  'for (int r = 0; r < rest - (rest > 1 ? 1 : 0); ++r) p.finish_row(i + r, sum[r]);'

mutant csr_run_forgets_a_last_column src/formats/csr/cpu_kernel.inl \
  'if (length - depth + j >= k)' \
  'if (length - depth + j > k)'

mutant csr_forgets_a_last_piece src/formats/csr/cpu_kernel.inl \
  'if (pieces == 1) add(piece[0], odd, even);' \
  'if (pieces == 1 && p.alpha == V{0}) add(piece[0], odd, even);'

mutant csr_forgets_rows_behind_whole_tiles src/formats/csr/cpu_kernel.inl \
  'for (; i < last; ++i) p.finish_row(i, sum[i - from]);' \
  'for (; i + 1 < last; ++i) p.finish_row(i, sum[i - from]);'

mutant csr_forgets_tail src/formats/csr/cpu_kernel.inl \
  'slots[exec::slots_per_unit * u + 1] = tail;' \
  'slots[exec::slots_per_unit * u + 1] = 0;'

mutant beta_zero_reads_y src/exec/product.hpp \
  'beta == V{0} ? alpha * sum : alpha * sum + beta * y[row]' \
  'alpha * sum + beta * y[row]'

mutant beta_is_ignored src/exec/product.hpp \
  'alpha * sum + beta * y[row];' \
  'alpha * sum + y[row];'

mutant drops_a_carry src/exec/carries.cpp \
  's < carries.last[r]; ++s' \
  's < carries.last[r] - 1; ++s'

mutant padding_reads_x_baseline src/simd/vec_baseline.hpp \
  'index[k] < 0 ? V{0} : x[index[k]]' \
  'x[index[k] < 0 ? 0 : index[k]]'

if grep -qw avx2 /proc/cpuinfo; then
  mutant padding_reads_x_avx2 src/simd/vec_x86.hpp \
    'const __m256i valid = _mm256_cvtepi32_epi64(_mm_cmpgt_epi32(idx, _mm_set1_epi32(-1)));
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, idx,' \
    'const __m256i valid = _mm256_set1_epi64x(-1);
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, _mm_max_epi32(idx, _mm_setzero_si128()),'
fi

if grep -qw avx512dq /proc/cpuinfo; then
  mutant padding_reads_x_avx512 src/simd/vec_x86.hpp \
    'const __mmask8 valid = _mm256_cmpgt_epi32_mask(idx, _mm256_set1_epi32(-1));
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), valid, idx,' \
    'const __mmask8 valid = 0xff;
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), valid, _mm256_max_epi32(idx, _mm256_setzero_si256()),'
fi

mutant ellpack_skips_last_slice src/formats/ellpack/cpu.cpp \
  '.units = a.meta.stride / ellpack_row_multiple,' \
  '.units = a.meta.stride / ellpack_row_multiple - (a.meta.stride > ellpack_row_multiple ? 1 : 0),'

mutant ellpack_drops_last_column src/formats/ellpack/cpu_kernel.inl \
  'j < width; ++j' \
  'j < width - (width > 4 ? 1 : 0); ++j'

mutant coo_skips_empty_rows src/formats/coo/cpu_kernel.inl \
  'for (; next_row < row; ++next_row) p.finish_row(next_row, V{0});' \
  'next_row = row;'

mutant coo_skips_rows_at_the_end src/formats/coo/cpu_kernel.inl \
  'if (end == a.meta.nnz) {' \
  'if (end < a.meta.nnz) {'

mutant coo_shared_row_written_twice src/formats/coo/cpu_kernel.inl \
  'else if (stop == end && end < a.meta.nnz && a.row[end] == row)' \
  'else if (stop == end && end > a.meta.nnz && a.row[end] == row)'

mutant alpha_zero_reads_y src/exec/elementwise.cpp \
  'if (beta == V{0}) {' \
  'if (beta == V{77}) {'

mutant update_misses_the_map src/plan/make_plan.hpp \
  'numbers.data()[k].index = k;' \
  'numbers.data()[k].index = k == 5 ? 4 : k;'

mutant update_writes_the_callers_values src/plan/make_plan.hpp \
  'if (asked.copy || (asked.values_change && std::is_same_v<T, V>)) own(array, spare);' \
  'if (asked.copy) own(array, spare);'

mutant gpu_drops_last_product src/exec/row_sums.cuh \
  'k < end; k += width' \
  'k < end - 1; k += width'

mutant gpu_drops_last_of_a_long_row src/exec/row_sums.cuh \
  'k < to; k += warp_size' \
  'k < to - 1; k += warp_size'

mutant gpu_drops_last_of_a_piece src/exec/row_sums.cuh \
  'if (base + step * Threads < entries) sum +=' \
  'if (base + step * Threads < entries - 1) sum +='

mutant gpu_forgets_a_slot src/exec/carries.cuh \
  's < piece.last; s += warp_size' \
  's < piece.last - 1; s += warp_size'

mutant gpu_keeps_its_count src/exec/carries.cuh \
  'if (is_last != 0) *arrived = 0;' \
  ''

mutant gpu_coo_forgets_empty_rows src/formats/coo/gpu.cu \
  'for (int i = before + 1; i <= r[step]; ++i) row_begin[i] = k;' \
  'if (before < r[step]) row_begin[r[step]] = k;'
