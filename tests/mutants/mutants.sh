# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by run: NAME FILE OLD NEW.

mutant csr_drops_last_entry src/formats/common/csr_rows.inl \
  'const int n = static_cast<int>(length);' \
  'const int n = static_cast<int>(length) - (length > 1 ? 1 : 0);'

mutant csr_drops_last_of_a_long_row src/formats/common/csr_rows.inl \
  'lanes::load_first(val + k, rest)' \
  'lanes::load_first(val + k, rest - (length > 2 * width ? 1 : 0))'

mutant csr_skips_last_unit src/formats/csr/cpu_kernel.inl \
  'u < last_unit; ++u)
    separate_rows' \
  'u < last_unit - (last_unit == a.meta.units && last_unit > 1 ? 1 : 0); ++u)
    separate_rows'

mutant pattern_csr_skips_last_unit src/formats/pattern_csr/cpu_kernel.inl \
  'u < last_unit;) {' \
  'u < last_unit - (last_unit == a.meta.units && last_unit > 1 ? 1 : 0);) {'

mutant pattern_csr_run_forgets_rows_at_its_end src/formats/pattern_csr/tiles.inl \
  'for (int r = 0; r < rest; ++r) p.finish_row(i + r, sum[r]);' \
  'for (int r = 0; r < rest - (rest > 1 ? 1 : 0); ++r) p.finish_row(i + r, sum[r]);'

mutant pattern_csr_run_forgets_a_last_column src/formats/pattern_csr/tiles.inl \
  'if (length - depth + j >= k)' \
  'if (length - depth + j > k)'

mutant pattern_csr_forgets_a_last_piece src/formats/pattern_csr/same_columns.inl \
  'if (pieces == 1) add(piece[0], odd, even);' \
  'if (pieces == 1 && p.alpha == sum_t<S>{0}) add(piece[0], odd, even);'

mutant pattern_csr_takes_a_nodes_columns_for_the_next_ones src/formats/pattern_csr/cpu_kernel.inl \
  'if (run.parts == 0) node_col +=' \
  'if (run.parts != 0) node_col +='

mutant pattern_csr_forgets_rows_behind_whole_tiles src/formats/pattern_csr/tiles.inl \
  'for (; i < last; ++i) p.finish_row(i, sum[i - from]);' \
  'for (; i + 1 < last; ++i) p.finish_row(i, sum[i - from]);'

mutant a_backward_product_forgets_a_unit src/exec/cpu/sweep_direction.hpp \
  'end > units.begin;)' \
  'end > units.begin + 1;)'

mutant a_backward_share_forgets_a_unit src/exec/cpu/work_stealing.hpp \
  'range{ends - taken.end, ends - taken.begin}' \
  'range{ends - taken.end, ends - taken.begin - 1}'

mutant pattern_csr_reads_x_at_holes src/formats/pattern_csr/tiles.inl \
  'lanes::load_where(x + col[k], unsigned{mask[k]} >> row)' \
  'lanes::load_where(x + col[k], unsigned{mask[k]} >> row | 255u)'

mutant pattern_csr_forgets_a_row_of_a_last_tile_with_holes src/formats/pattern_csr/tiles.inl \
  'for (std::int64_t r = finished; r < tiled_rows; ++r)' \
  'for (std::int64_t r = finished + 1; r < tiled_rows; ++r)'

mutant pattern_csr_forgets_an_entry_beside_a_run src/formats/pattern_csr/tiles.inl \
  'e < tile[1].extra; ++e)' \
  'e + 1 < tile[1].extra; ++e)'

mutant pattern_csr_reads_x_of_rows_without_a_diagonal src/formats/pattern_csr/diagonals.inl \
  'lanes::load_where(from, here)' \
  'lanes::load(from)'

mutant pattern_csr_keeps_few_tiles src/formats/pattern_csr/unit_runs.hpp \
  'in_tiles < elsewhere' \
  '2 * in_tiles < elsewhere'

mutant pattern_csr_keeps_sums_that_are_not_finite src/formats/pattern_csr/diagonals.inl \
  'if (finite)' \
  'if (finite || masked > 0)'

mutant csr_forgets_a_product_of_short_rows src/formats/common/csr_rows.inl \
  'for (; k < n; ++k) to[k]' \
  'for (; k + 1 < n; ++k) to[k]'

mutant product_sums_forget_a_second_vector src/formats/common/product_sums.inl \
  'few::load_first_of_more(at + width, std::max(n - width, 0))' \
  'few::zero()'

mutant bccoo_forgets_a_second_vector_of_products src/formats/papers/bccoo/products_kernel.inl \
  'for (std::int64_t k = width; k < length; k += width)' \
  'for (std::int64_t k = width; k + 1 < length; k += width)'

mutant bccoo_forgets_products_that_it_keeps src/formats/papers/bccoo/products_kernel.inl \
  'if (made_ > begin) std::copy(' \
  'if (made_ > begin + 1) std::copy('

mutant pattern_csr_slice_forgets_a_last_step src/formats/pattern_csr/slices.inl \
  'for (; rest > 0; --rest) {' \
  'for (; rest > 1; --rest) {'

mutant pattern_csr_slice_uses_x_of_rows_that_ended src/formats/pattern_csr/slices.inl \
  'lanes::keep_first(of_x, here)' \
  'of_x'

mutant pattern_csr_forgets_a_last_whole_diagonal src/formats/pattern_csr/diagonals.inl \
  'if (k < whole) add_whole(k++, sums);' \
  'if (k < whole) ++k;'

mutant pattern_csr_forgets_a_last_masked_diagonal src/formats/pattern_csr/diagonals.inl \
  'if (k < all) add_masked(k, odd);' \
  'if (k + 1 < all) add_masked(k, odd);'

mutant csr_forgets_tail src/formats/common/csr_rows.inl \
  'slots[exec::slots_per_unit * u + 1] = tail;' \
  'slots[exec::slots_per_unit * u + 1] = sum_t<S>{0};'

mutant beta_zero_reads_y src/exec/product.hpp \
  'beta == factor_t<S>{0} ? alpha * sum : add_product(alpha * sum, y[row])' \
  'add_product(alpha * sum, y[row])'

mutant beta_is_ignored src/exec/product.hpp \
  'return scaled + beta * before;' \
  'return scaled + before;'

mutant drops_a_carry src/exec/reduction/carries.cpp \
  's < carries.last[r]; ++s' \
  's < carries.last[r] - 1; ++s'

mutant padding_reads_x_baseline src/exec/cpu/simd/vec_baseline.hpp \
  'index[k] < 0 ? V{0} : x[index[k]]' \
  'x[index[k] < 0 ? 0 : index[k]]'

if grep -qw avx2 /proc/cpuinfo; then
  mutant padding_reads_x_avx2 src/exec/cpu/simd/vec_avx2.hpp \
    'const __m256i valid = _mm256_cvtepi32_epi64(_mm_cmpgt_epi32(idx, _mm_set1_epi32(-1)));
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, idx,' \
    'const __m256i valid = _mm256_set1_epi64x(-1);
    return {_mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, _mm_max_epi32(idx, _mm_setzero_si128()),'
fi

if grep -qw avx512dq /proc/cpuinfo; then
  mutant pattern_csr_says_that_infinite_lanes_are_finite src/exec/cpu/simd/vec_avx512.hpp \
    '_mm512_cmp_pd_mask(none, none, _CMP_ORD_Q) == 0xff' \
    '_mm512_cmp_pd_mask(none, none, _CMP_ORD_Q) != 0'

  mutant padding_reads_x_avx512 src/exec/cpu/simd/vec_avx512.hpp \
    'const __mmask8 valid = _mm256_cmpgt_epi32_mask(idx, _mm256_set1_epi32(-1));
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), valid, idx,' \
    'const __mmask8 valid = 0xff;
    return {_mm512_mask_i32gather_pd(_mm512_setzero_pd(), valid, _mm256_max_epi32(idx, _mm256_setzero_si256()),'
fi

mutant ellpack_skips_last_slice src/formats/ellpack/cpu.cpp \
  '.units = a.meta.stride / ellpack_row_multiple,' \
  '.units = a.meta.stride / ellpack_row_multiple - (a.meta.stride > ellpack_row_multiple ? 1 : 0),'

mutant ellpack_drops_last_column src/formats/ellpack/cpu_kernel.inl \
  'const std::int64_t width = a.meta.width;' \
  'const std::int64_t width = a.meta.width - (a.meta.width > 4 ? 1 : 0);'

mutant ellpack_forgets_sums_between_columns src/formats/ellpack/cpu_kernel.inl \
  'j == 0 ? lanes::zero() : lanes::load(of_unit + v * lanes::lanes)' \
  'lanes::zero()'

mutant arg_csr_drops_a_partial_sum src/formats/papers/arg_csr/cpu_kernel.inl \
  'for (++t; t < end[r]; ++t) sum += partial[t];' \
  'for (++t; t < end[r]; ++t) sum += t % 32 == 31 ? sum_t<S>{0} : partial[t];'

mutant arg_csr_stops_at_half_a_column src/formats/papers/arg_csr/cpu_kernel.inl \
  'for (int t = 0; t < group_lanes; ++t) all &= col[t];' \
  'for (int t = 0; t < group_lanes / 2; ++t) all &= col[t];'

mutant row_grouped_csr_stops_at_half_a_column src/formats/papers/row_grouped_csr/cpu_kernel.inl \
  'for (int r = 0; r < group_lanes; ++r) all &= col[r];' \
  'for (int r = 0; r < group_lanes / 2; ++r) all &= col[r];'

mutant row_grouped_csr_skips_a_row_alone src/formats/papers/row_grouped_csr/cpu_kernel.inl \
  'row < after; row += group_lanes' \
  'row + 1 < after; row += group_lanes'
mutant sliced_ell_skips_last_unit src/formats/sliced_ell/cpu_kernel.inl \
  's < last; ++s' \
  's < last - (last > 1 ? 1 : 0); ++s'

mutant sliced_ell_leaves_y_permuted src/formats/sliced_ell/cpu_kernel.inl \
  'a.meta.sorted ? a.row_perm[position] : position' \
  'position'

mutant sliced_ell_ignores_the_order src/formats/common/row_order.hpp \
  'std::int64_t longest = row_length(a, row_of != nullptr ? row_of[first] : first);' \
  'std::int64_t longest = row_length(a, first);'

mutant jds_forgets_partly_reached_lanes src/formats/papers/jds/cpu_kernel.inl \
  'if (rest <= 0) break;' \
  'if (rest < lanes::lanes) break;'

mutant dia_padding_reads_x src/formats/dia/cpu_kernel.inl \
  'lanes::load_where(x + at, valid[d] >> at)' \
  'lanes::load_where(x + at, row + a.offset[d] >= 0 && row + a.offset[d] + rows_here <= a.meta.cols ? ~0u : valid[d] >> at)'

mutant dia_overwrites_duplicates src/formats/dia/format.hpp \
  'return (valid[&o - offset] & bit) != 0;' \
  'return (valid[&o - offset] & bit) != 0 && &o == offset;'

mutant sorted_entries_skip_empty_rows src/formats/common/row_writer.inl \
  'for (; next < before; ++next) p.finish_row(next, sum_t<S>{0});' \
  'next = before;'

mutant sorted_entries_skip_rows_at_the_end src/formats/common/sorted_entries.inl \
  'rows.finish_empty(end == a.meta.nnz ? a.meta.rows : ' \
  'rows.finish_empty(end == a.meta.nnz ? std::int64_t{0} : '

mutant sorted_entries_skip_rows_before_an_open_one src/formats/common/sorted_entries.inl \
  ': std::int64_t{a.row[end - 1]});' \
  ': std::int64_t{0});'

mutant sorted_entries_write_a_shared_row_twice src/formats/common/sorted_entries.inl \
  '.began_before = a.carries.run_at_cut[u] >= 0}' \
  '.began_before = a.carries.run_at_cut[u] >= 1}'

mutant sorted_entries_forget_an_open_row src/formats/common/sorted_rows.inl \
  'product[-1] = rows.open;' \
  'product[-1] = sum_t<S>{0};'

mutant sorted_entries_overlook_an_end_at_a_block src/formats/common/sorted_rows.inl \
  'row[0] == row[n]) return;' \
  'row[0] == row[n - 1]) return;'

mutant sorted_entries_take_few_rows_for_all_lanes src/formats/common/sorted_rows.inl \
  'if (count == width && last - first == width - 1' \
  'if (last - first == width - 1'

mutant product_sums_take_long_rows_for_short src/formats/common/product_sums.inl \
  'else if (most < 2 * width)' \
  'else if (most < 4 * width)'

mutant alpha_zero_reads_y src/exec/elementwise.cpp \
  'if (beta == sum_t<S>{0}) {' \
  'if (beta == sum_t<S>{77}) {'

mutant update_misses_the_map src/plans/make_plan.hpp \
  'permutation.empty() ? k :' \
  'permutation.empty() ? (k == 5 ? 4 : k) :'

mutant transposed_update_misses_an_entry src/core/transpose.cpp \
  'permutation[at] = k;' \
  'permutation[at] = k == 5 ? 4 : k;'

mutant transpose_loses_duplicates src/core/transpose.cpp \
  'to.val[at] = a.val.data()[k];' \
  'to.val[at] = k > part.begin && a.col.data()[k] == a.col.data()[k - 1] ? V{0} : a.val.data()[k];'

mutant update_writes_the_callers_values src/plans/make_plan.hpp \
  'if (asked.copy || (asked.values_change && std::is_same_v<T, matrix_t<S>>))' \
  'if (asked.copy)'

mutant gpu_drops_last_product src/exec/reduction/row_sums.cuh \
  'k < end; k += width' \
  'k < end - 1; k += width'

mutant gpu_drops_last_of_a_long_row src/exec/reduction/row_sums.cuh \
  'k < to; k += warp_size' \
  'k < to - 1; k += warp_size'

mutant gpu_drops_last_of_a_piece src/exec/reduction/row_sums.cuh \
  'if (base + step * Threads < entries) sum +=' \
  'if (base + step * Threads < entries - 1) sum +='

mutant gpu_forgets_a_slot src/exec/reduction/carries.cuh \
  's < piece.last; s += warp_size' \
  's < piece.last - 1; s += warp_size'

mutant gpu_keeps_its_count src/exec/reduction/carries.cuh \
  'atomicInc(arrived, units - 1) == units - 1' \
  'atomicAdd(arrived, 1u) == units - 1'

mutant gpu_sliced_ell_forgets_a_warp src/formats/sliced_ell/gpu_kernels.cuh \
  'for (int w = 1; w < Warps; ++w)' \
  'for (int w = 1; w < Warps - 1; ++w)'

mutant gpu_jds_stops_a_batch_early src/formats/papers/jds/gpu.cu \
  'if (c[batch - 1] < 0) break;' \
  'break;'

mutant gpu_dia_padding_reads_x src/formats/dia/gpu.cu \
  'exec::load_if((word[k] >> lane & 1) != 0, x' \
  'exec::load_if(word[k] != 0, x'

mutant gpu_coo_forgets_empty_rows src/formats/coo/gpu.cu \
  'for (int i = before + 1; i <= r[step]; ++i) row_begin[i] = k;' \
  'if (before < r[step]) row_begin[r[step]] = k;'

mutant gpu_chunk_drops_last_slot src/exec/reduction/chunk_sum.cuh \
  'k < reach; k += batch * stride' \
  'k < reach - stride; k += batch * stride'

mutant gpu_arg_csr_forgets_a_chunk src/formats/papers/arg_csr/gpu.cu \
  't < end; ++t) sum += partial[t];' \
  't < end - (end > 64 ? 1 : 0); ++t) sum += partial[t];'
mutant ellpack_r_stops_early src/formats/papers/ellpack_r/cpu_kernel.inl \
  'if (j >= most[v]) continue;' \
  'if (j >= most[v] - (most[v] > 4 ? 1 : 0)) continue;'

mutant csr_fragment_forgets_a_gap src/formats/papers/csr_fragment/cpu_kernel.inl \
  'i < gap.last; ++i' \
  'i < gap.last - 1; ++i'

mutant csr_fragment_forgets_tail src/formats/papers/csr_fragment/cpu_kernel.inl \
  'slots[exec::slots_per_unit * f + 1] = tail;' \
  'slots[exec::slots_per_unit * f + 1] = 0;'

mutant csr_gathered_forgets_the_last_entries src/formats/papers/csr_gathered/cpu_kernel.inl \
  'for (; k < end; ++k) to[k] = p.x[a.col[k]];' \
  'for (; k < end - 1; ++k) to[k] = p.x[a.col[k]];'

mutant prepared_scratch_counts_as_rows src/plans/cpu_schedule.cpp \
  'if (pass.writes_rows) step.beta = factor_t<S>{1};  // every row is written now' \
  'step.beta = factor_t<S>{1};'

mutant columns_share_their_slots src/plans/cpu_schedule.cpp \
  'return slots + j * scratch_ + pass.scratch;' \
  'return slots + pass.scratch;'

mutant rows_repeat_the_first_pack src/plans/pack_schedules.hpp \
  '.x = {p.x + j, p.x_step}' \
  '.x = {p.x, p.x_step}'

mutant packs_of_rows_are_adjacent src/plans/pack_schedules.hpp \
  '.y = {p.y + j, p.y_step}' \
  '.y = {p.y + j, K}'

mutant pattern_csr_packs_forget_extra_entries src/formats/pattern_csr/packs.inl \
  'if (a.extra[e].row == r)' \
  'if (a.extra[e].row > tiled_rows)'

mutant pattern_csr_packs_read_x_at_holes src/formats/pattern_csr/packs.inl \
  '(mask[k] >> r & 1u) == 0 ?' \
  'mask[k] == 0 ?'

mutant pattern_csr_packs_keep_sums_that_are_not_finite src/formats/pattern_csr/packs.inl \
  'not_finite.v[part] == not_finite.v[part] ? sum.v[part]' \
  'not_finite.v[part] != not_finite.v[part] ? sum.v[part]'

mutant pattern_csr_packs_read_x_off_diagonals src/formats/pattern_csr/packs.inl \
  ': has ? p.x + (column + j) : &zeros;' \
  ': has || column + j >= 0 ? p.x + (column + j) : &zeros;'

mutant pattern_csr_packs_take_the_wrong_turn src/formats/pattern_csr/packs.inl \
  'masked, sums.odd,' \
  'masked, sums.even,'

mutant pattern_csr_packs_end_pieces_in_one_sum src/formats/pattern_csr/packs_of_same_columns.inl \
  'add(!EndsFirst, piece[1]);' \
  'add(EndsFirst, piece[1]);'

mutant packed_packs_round_the_last_steps_once src/formats/packed/cpu/packs.inl \
  'add_steps<false, together, S>(' \
  'add_steps<true, together, S>('

mutant packed_packs_read_x_at_holes src/formats/packed/cpu/packs.inl \
  'if ((has >> i & 1u) != 0) of_x =' \
  'if ((has >> i & 1u) != 0 || column >= 0) of_x ='

mutant sliced_ell_packs_are_rounded_as_lanes src/formats/sliced_ell/cpu_kernel.inl \
  'const bool by_lanes = rows >= vec<sum_t<S>>::lanes;' \
  'const bool by_lanes = rows > 0;'

mutant columns_without_a_pack_are_lost src/plans/columns.cpp \
  'if (done > 0) return multiply_columns_host(base, p.from(done, p.columns - done), scratch);' \
  'if (done > 0) return;'

mutant gpu_columns_repeat_the_first_block src/plans/gpu_plan.hpp \
  'p.from(first, std::min(F::columns_at_once' \
  'p.from(0, std::min(F::columns_at_once'

mutant gpu_packed_pack_misses_a_column src/formats/packed/cuda/pack_lane_slice.cuh \
  'sum[pass][j] += value[k][t] * x[k][t][j];' \
  'if (j > 0) sum[pass][j] += value[k][t] * x[k][t][j];'

mutant gpu_packed_passes_repeat_their_lanes src/formats/packed/cuda/pack_entries.cuh \
  'pass * lanes() + (thread >> log2_packs);' \
  'pass % 2 * lanes() + (thread >> log2_packs);'

mutant gpu_packed_parts_hand_on_one_column src/formats/packed/cuda/vectors.cu \
  'if (thread % Width == j) of_column = one;' \
  'if (j == 0) of_column = one;'

mutant gpu_packed_halves_of_chunks_repeat src/formats/packed/cuda/pack_coo_slice.cuh \
  'const int i = from + k;' \
  'const int i = k;'

mutant gpu_packed_packs_forget_what_chunks_hand_on src/formats/packed/cuda/pack_coo_slice.cuh \
  'if (thread - distance >= from) sum[j] += before;' \
  'if (thread - distance > from) sum[j] += before;'

mutant gpu_packed_column_groups_share_slots src/formats/packed/cuda/vectors.cu \
  'slots += static_cast<std::int64_t>(group * columns_of_group) * slots_of_column;' \
  'slots += static_cast<std::int64_t>(group * 0) * slots_of_column;'

mutant gpu_packed_column_groups_repeat_the_first src/formats/packed/cuda/vectors.cu \
  'all_groups.columns(group * columns_of_group, columns_of_group)' \
  'all_groups.columns(group * 0, columns_of_group)'

mutant gpu_packed_packs_forget_empty_rows src/formats/packed/cuda/pack_coo_slice.cuh \
  'rows != 0; rows &= rows - 1)' \
  'rows != 0; rows = 0)'

mutant gpu_packed_wide_slices_forget_empty_rows src/formats/packed/cuda/wide_coo_slice.cuh \
  'empty != 0; empty &= empty - 1)' \
  'empty != 0; empty = 0)'

mutant gpu_packed_teams_keep_rows_that_others_end src/formats/packed/cuda/wide_coo_slice.cuh \
  'end >= first_chunk_ + Teams::chunks_of_team' \
  'end > first_chunk_ + Teams::chunks_of_team'

mutant gpu_packed_teams_add_a_chunk_of_another_row src/formats/packed/cuda/wide_coo_slice.cuh \
  'return ends_with_row(last) ? last + 1 : last;' \
  'return last;'

mutant gpu_packed_teams_add_chunks_in_another_order src/formats/packed/cuda/wide_coo_slice.cuh \
  'return exec::store_adjacent(left_[level], sum);' \
  'return exec::store_adjacent(left_[0], sum);'

mutant gpu_packed_wide_half_chunks_repeat src/formats/packed/cuda/wide_coo_slice.cuh \
  'load_pieces(slice_.entries.column + chunk * size + first, column);' \
  'load_pieces(slice_.entries.column + chunk * size, column);'

mutant gpu_ellpack_r_drops_last src/formats/papers/ellpack_r/gpu.cu \
  'j < length; j += Threads' \
  'j < length - 1; j += Threads'

mutant gpu_csr_fragment_forgets_a_gap src/formats/papers/csr_fragment/gpu.cu \
  'i < gap.last; i += block_threads' \
  'i < gap.last - 1; i += block_threads'

mutant gpu_csr_fragment_writes_a_shared_row src/formats/papers/csr_fragment/gpu.cu \
  'else if (r == rows - 1 && has_tail)' \
  'else if (r == rows && has_tail)'

mutant gpu_csr_gathered_forgets_an_entry src/formats/papers/csr_gathered/gpu.cu \
  'if (k < nnz) to[k] = x[col[k]];' \
  'if (k < nnz - 1) to[k] = x[col[k]];'

mutant gpu_half_warp_skips_a_step src/exec/reduction/half_warp_sums.cuh \
  'v += mine[distance];' \
  'if (distance != 2) v += mine[distance];'

mutant gpu_csr_r_skips_a_step src/formats/csr/paper_kernels.cuh \
  'if (lane < 4) vals[tid] += vals[tid + 4];' \
  ''

mutant gpu_csr_group_forgets_a_last_entry src/formats/csr/gpu_kernels.cuh \
  'if (k < end) sum = add_entries<Width, Batch, false, S>(a, k, end, p.x, sum);' \
  'if (k + 1 < end) sum = add_entries<Width, Batch, false, S>(a, k, end, p.x, sum);'

mutant gpu_strided_row_forgets_a_last_slot src/exec/cuda/kernel/strided_row.cuh \
  'else if (count > 0)' \
  'else if (count > 1)'

mutant hyb_loses_the_entry_at_the_cut src/formats/hyb/format.hpp \
  'return in_head == (place == hyb_place::head);' \
  'return in_head == (place == hyb_place::head) && k != static_cast<std::int64_t>(a.row_ptr.data()[i]) + width;'

mutant later_passes_forget_the_first src/plans/cpu_schedule.cpp \
  'step.beta = factor_t<S>{1};' \
  'step.beta = p.beta;'

mutant gpu_parts_forget_the_first src/formats/common/launch_parts.cuh \
  'step.beta = sum_t<S>{1};' \
  'step.beta = p.beta;'

mutant diag_blocks_are_all_in_both_parts src/formats/diag_blocks/format.hpp \
  'if (!stored.meta.is_split()) {' \
  'if (stored.meta.nnz > 0) {'

mutant brc_padding_is_not_marked src/formats/brc/format.hpp \
  'like < 0 ? like : ~like;' \
  'like < 0 ? ~like : like;'

mutant brc_leaves_empty_rows src/formats/brc/cpu_kernel.inl \
  'if (p.beta == sum_t<S>{1} && last > a.meta.filled_blocks)' \
  'if (last > a.meta.filled_blocks)'

mutant brc_loses_an_entry_at_a_cut src/formats/brc/segments.hpp \
  'std::min(width, length - v * width)' \
  'std::min(width - (v > 0 ? 1 : 0), length - v * width)'

mutant brc_forgets_the_width_of_a_place src/formats/brc/layout.hpp \
  'return cut.with(run_width[brc_run_of(of_item)]).segment(length, v);' \
  'return cut.segment(length, v);'

mutant gpu_combine_by_warp_drops_a_slot src/exec/reduction/carries.cu \
  'for (std::int64_t s = here.first + lane; s < here.last;' \
  'for (std::int64_t s = here.first + lane; s < here.last - 1;'

mutant gpu_combine_by_block_drops_a_slot src/exec/reduction/carries.cu \
  'for (std::int64_t s = here.first + threadIdx.x; s < here.last;' \
  'for (std::int64_t s = here.first + threadIdx.x; s < here.last - 1;'

mutant gpu_brc_forgets_a_warp src/formats/brc/gpu.cu \
  'for (int w = 1; w < Warps; ++w)' \
  'for (int w = 1; w < Warps - 1; ++w)'

mutant gpu_brc_takes_one_block_a_thread src/formats/brc/gpu.cu \
  'base < items;' \
  'base < items && base < step;'

mutant bccoo_mixes_up_small_differences src/formats/papers/bccoo/cpu_kernel.inl \
  'c += where;' \
  'c += where > 100 ? 100 : where;'

mutant bccoo_forgets_what_goes_on src/formats/papers/bccoo/cpu_kernel.inl \
  'tail = next.sum;' \
  'tail = sum_t<S>{0};'

mutant bccoo_uniform_forgets_an_open_row src/formats/papers/bccoo/row_numbers_kernel.inl \
  'sums.open = rest > 0 ? sum_of(rows.end[count - 1], n) : sum_t<S>{0};' \
  'sums.open = rest > 8 ? sum_of(rows.end[count - 1], n) : sum_t<S>{0};'

mutant bccoo_uniform_overlooks_empty_rows src/formats/papers/bccoo/row_numbers_kernel.inl \
  'found.consecutive = last - found.first == found.count - 1;' \
  'found.consecutive = last - found.first <= 2 * found.count;'

mutant bccoo_uniform_forgets_what_stands_behind_the_last_end src/formats/papers/bccoo/row_ends_kernel.inl \
  'if (begin < size) sums.open' \
  'if (begin + 1 < size) sums.open'

mutant bccoo_uniform_mixes_up_rows_of_a_tile src/formats/papers/bccoo/diagonals_kernel.inl \
  'sums.open = each[here];' \
  'sums.open = each[0];'

mutant bccoo_uniform_spreads_no_values src/formats/papers/bccoo/diagonals_kernel.inl \
  'values.template load_expanded<lanes>(value, bits)' \
  'values.template load<lanes>(value)'

mutant gpu_chunks_forget_the_warps_before src/exec/reduction/segmented_sum.cuh \
  'if (all.begun[buffer][w] != 0) return sum;' \
  'return sum;'

mutant gpu_chunks_forget_the_entries_before src/exec/reduction/segmented_sum.cuh \
  'return open + sum;' \
  'return sum;'

mutant gpu_chunks_add_a_step_too_few src/exec/reduction/segmented_sum.cuh \
  'if (reaches == 0) break;' \
  'if ((reaches & reaches << distance) == 0) break;'

mutant gpu_chunks_forget_what_lanes_before_have src/exec/reduction/segmented_sum.cuh \
  'room[before - first] += head;' \
  'room[before - first] += sum_t<S>{0};'

mutant gpu_chunks_forget_rows_before_the_first src/exec/reduction/segmented_sum.cuh \
  'if (chunk.is_first) finish_empty(0, chunk.first_row);' \
  ''

mutant gpu_bcoo_forgets_the_last_entry_of_a_part src/formats/papers/bcoo/gpu.cu \
  'Whole || first + at < entries' \
  'Whole || first + at + 1 < entries'

mutant gpu_bccoo_takes_a_code_for_a_value src/formats/papers/bccoo/gpu.cu \
  'in_table && a.lut_size > 1' \
  'in_table && a.lut_size > 2'

mutant gpu_bccoo_ends_a_row_behind_the_last_entry src/formats/papers/bccoo/gpu.cu \
  'if (mine + i >= entries) row[i] = last;' \
  'if (mine + i > entries) row[i] = last;'

mutant gpu_bccoo_mixes_up_narrow_rows src/exec/cuda/kernel/packed_loads.cuh \
  '__byte_perm(from.word[i / 4], 0, 0x4440u + i % 4)' \
  '(__byte_perm(from.word[i / 4], 0, 0x4440u + i % 4) & 0x7fu)'

mutant recoding_keeps_the_old_values src/formats/contract/capabilities.hpp \
  'std::copy_n(values, a.val.size(), a.val.data());' \
  'std::copy_n(values, a.val.size() / 2, a.val.data());'

mutant packed_forgets_a_last_step src/formats/packed/cpu/cpu_kernel.inl \
  'j < s.steps - missing; ++j' \
  'j < s.steps - missing - (missing > 2 ? 1 : 0); ++j'

mutant packed_reads_x_at_holes src/formats/packed/cpu/diagonal_slice.inl \
  'lanes::load_where(x + i * lanes::lanes, here)' \
  'lanes::load_where(x + i * lanes::lanes, here | 255u)'

mutant packed_takes_the_mask_of_another_slot src/formats/packed/cpu/diagonal_slice.inl \
  'of.masks[slot + i / of_slot]' \
  'of.masks[slot + (i / of_slot ^ 1)]'

mutant packed_forgets_the_rows_of_a_last_slot src/formats/packed/cpu/diagonal_slice.inl \
  'for (; first < s.rows(); first += packed_lanes)' \
  'for (; first + packed_lanes <= s.rows(); first += packed_lanes)'

mutant packed_forgets_lanes_of_a_shared_row src/formats/packed/cpu/cpu_kernel.inl \
  'for (int width = 1 << sharing >> 1; width > 0; width /= 2)' \
  'for (int width = 1 << sharing >> 1; width > 1; width /= 2)'

mutant packed_forgets_a_last_slice src/formats/packed/cpu/cpu_kernel.inl \
  'const std::int64_t last = a.unit_slice[last_unit];' \
  'const std::int64_t last = a.unit_slice[last_unit] - (last_unit == a.meta.units && a.meta.slices > 1 ? 1 : 0);'

mutant packed_forgets_a_part src/formats/packed/cpu/cpu_kernel.inl \
  'slots[s.row] = sums[0];' \
  'slots[s.row] = s.row == 1 ? sum_t<S>{0} : sums[0];'

mutant packed_forgets_a_window src/formats/packed/choose/plan.hpp \
  'if (!is_long(w)) body(w);' \
  'if (!is_long(w) && w != 1) body(w);'

mutant packed_counts_from_another_row src/formats/packed/encode/write_slice.hpp \
  'starts[static_cast<std::size_t>(r) << of.sharing]);' \
  'starts[static_cast<std::size_t>(r)]);'

mutant packed_loses_the_end_of_a_shared_row src/formats/packed/choose/windows.hpp \
  '.count = packed_steps_of(length - of_row, sharing)' \
  '.count = packed_steps_of(length - of_row - (of_row > 2 ? 1 : 0), sharing)'

mutant packed_forgets_a_last_entry src/formats/packed/cpu/cpu_kernel.inl \
  'for (int k = whole; k < entries; ++k)' \
  'for (int k = whole; k < entries - (entries > 6 ? 1 : 0); ++k)'

mutant packed_loses_the_sign_of_halves src/formats/packed/cpu/values.inl \
  'static_cast<bits>(stored & 0x8000u)' \
  'static_cast<bits>(stored & 0x0u)'

mutant gpu_packed_takes_each_second_half_twice src/formats/packed/cuda/lane_slice.cuh \
  'i % 2 == 0 ? word << 16 : word' \
  'word'

mutant gpu_packed_forgets_a_warp src/formats/packed/cuda/kernel.cuh \
  'for (int w = 1; w < warps; ++w)' \
  'for (int w = 1; w < warps - 1; ++w)'

mutant gpu_packed_forgets_a_last_step src/formats/packed/cuda/lane_slice.cuh \
  '4 * (group + k * stride) + t < of.count' \
  '4 * (group + k * stride) + t + 1 < of.count'

mutant gpu_packed_takes_masks_of_the_first_diagonals src/formats/packed/cuda/diagonal_slice.cuh \
  'masks + pair * packed_lanes + of.lane' \
  'masks + of.lane'

mutant gpu_packed_forgets_a_last_entry src/formats/packed/cuda/coo_slice.cuh \
  'first + i < of.count' \
  'first + i + 1 < of.count'

mutant gpu_packed_loses_the_first_lane_of_a_row_of_entries src/formats/packed/cuda/coo_slice.cuh \
  'if (lane - distance >= from)' \
  'if (lane - distance > from)'

mutant gpu_packed_forgets_what_lanes_hand_on src/formats/packed/cuda/coo_slice.cuh \
  'bool goes_on = lane > 0;' \
  'bool goes_on = lane > 1;'

mutant gpu_parts_lose_the_last src/exec/reduction/warp_reduction.cuh \
  's < last; s += warp_size' \
  's < last - 1; s += warp_size'

mutant gpu_parts_leave_slots_full src/exec/reduction/warp_reduction.cuh \
  'store_relaxed(scratch + s, sum_t<S>{0});' \
  ''

mutant gpu_parts_take_the_next_row src/exec/reduction/warp_reduction.cuh \
  'rows.finish(carries.row[run], total)' \
  'rows.finish(carries.row[run > 0 ? run - 1 : run], total)'

mutant hybrid_forgets_beta_in_scattered_rows src/hybrids/hybrid_plan.cpp \
  'from[i] + beta * to' \
  'from[i] + to'

mutant hybrid_reads_y_where_beta_is_0 src/hybrids/hybrid_plan.cpp \
  'beta == sum_t<S>{0} ? from[i] :' \
  ''

mutant gpu_scatter_forgets_beta src/exec/cuda/scatter.cu \
  '__dmul_rn(beta, y)' \
  'y'

mutant gpu_scatter_reads_y_where_beta_is_0 src/exec/cuda/scatter.cu \
  'beta == V{0} ? from[i] :' \
  ''

mutant gpu_hybrid_reads_x_from_its_first_column src/hybrids/device_products.cpp \
  'v.p.x + each.first_col' \
  'v.p.x'

mutant hybrid_takes_the_wrong_values src/hybrids/part.cpp \
  '= from + e;' \
  '= from + (length - 1 - e);'

mutant columns_lose_the_last src/plans/columns.cpp \
  '.columns = x.cols,' \
  '.columns = x.cols - (x.cols > 1 ? 1 : 0),'

mutant columns_of_columns_ignore_the_leading_dimension src/plans/columns.cpp \
  'layout::column_major ? m.leading : 1;' \
  'layout::column_major ? m.rows : 1;'

mutant columns_of_rows_ignore_the_leading_dimension src/plans/columns.cpp \
  'm.rows <= 1 ? 1 : m.leading;' \
  'm.rows <= 1 ? 1 : m.cols;'

mutant reordered_plan_reads_y_in_the_wrong_order src/plans/reordered_plan.cpp \
  'permute(y_of(own), constant(y_of(p)), permutation, p.columns);' \
  'permute(y_of(own), constant(y_of(p)), inverse, p.columns);'

mutant reordered_transpose_takes_values_of_the_permuted_matrix src/plans/build_with_transpose.hpp \
  'permutation.data()[k] = context.permutation.data()[permutation.data()[k]];' \
  'permutation.data()[k] = permutation.data()[k];'

mutant permuted_breaks_ties_of_duplicates_by_no_order src/core/permuted.cpp \
  'other.col : entry < other.entry' \
  'other.col : entry > other.entry'

mutant cached_x_forgets_a_last_entry src/formats/cached_x/cpu_kernel.inl \
  'lanes::load_first(val + k, count - k)' \
  'lanes::load_first(val + k, count - k - 1)'

mutant gpu_cached_x_gives_a_second_sum_to_the_first_row src/formats/cached_x/cuda/gpu_kernels.cuh \
  'finish_piece(pieces.target[j], sum, p, sums);' \
  'finish_piece(first_target, sum, p, sums);'

mutant cached_x_takes_rows_for_ordered_by_panels src/formats/cached_x/places.hpp \
  'a.col.data()[k] / width < a.col.data()[k - 1] / width)' \
  'a.col.data()[k] / width > a.col.data()[k - 1] / width)'

mutant cached_x_counts_a_piece_as_one_entry src/formats/cached_x/build.hpp \
  '+ pieces[p].entries);' \
  '+ 1);'

mutant cached_x_ends_no_piece_with_a_segment src/formats/cached_x/build.hpp \
  'ends_segment = (slot + 1) % (s.meta.segment * cached_x_chunk) == 0;' \
  'ends_segment = slot < 0;'

mutant cached_x_ends_a_piece_with_each_chunk src/formats/cached_x/build.hpp \
  '(slot + 1) % (s.meta.segment * cached_x_chunk) == 0;' \
  '(slot + 1) % cached_x_chunk == 0;'

mutant cached_x_begins_a_unit_in_the_next_panel src/formats/cached_x/cpu_kernel.inl \
  'first_chunk) - a.panel_chunk - 1' \
  'first_chunk + 1) - a.panel_chunk - 1'

mutant gpu_cached_x_forgets_a_chunk_without_an_end src/formats/cached_x/cuda/gpu_kernels.cuh \
  'if (lanes_with_end == 0) sum += open;' \
  'if (lanes_with_end == 1) sum += open;'

mutant gpu_cached_x_forgets_what_earlier_chunks_have src/formats/cached_x/cuda/gpu_kernels.cuh \
  '== 0) before += open;' \
  '== 0) before += sum_t<S>{0};'

mutant gather_sample_takes_short_rows_for_long_ones src/formats/common/gather_sample.cpp \
  'std::min(runs / pieces, mean_row)' \
  'runs / pieces'

mutant gather_sample_advises_panels_for_shorter_pieces src/formats/common/gather_sample.cpp \
  'long_pieces = 12' \
  'long_pieces = 11'

mutant gather_sample_ignores_some_near_neighbours src/formats/common/gather_sample.cpp \
  'few_near = 0.5' \
  'few_near = 0.6'

mutant gather_sample_takes_fewer_repeats_for_frequent src/formats/common/gather_sample.cpp \
  'often = 0.2' \
  'often = 0.15'

mutant solver_steps_forget_a_last_element src/solve/step.hpp \
  'for (; i < end; ++i) own.element(i, part[0]);' \
  'for (; i + 1 < end; ++i) own.element(i, part[0]);'

mutant solver_steps_go_on_when_all_is_done src/solve/step.hpp \
  'if (s[scalar::done] != 0) return;' \
  ''

mutant solvers_do_not_stop_at_the_tolerance_itself src/solve/step.hpp \
  'if (residual <= s[scalar::tolerance])' \
  'if (residual < s[scalar::tolerance])'

mutant solvers_compare_with_the_square_of_a_norm src/solve/start_steps.hpp \
  'set_tolerance(s, norm);' \
  'set_tolerance(s, dots[0]);'

mutant cg_takes_the_curvature_along_the_residual src/solve/cg.cpp \
  'on.multiply_and_dot(p, q, p, cg_scalar::curvature);' \
  'on.multiply_and_dot(p, q, r, cg_scalar::curvature);'

mutant cg_forgets_the_direction_before src/solve/cg_steps.hpp \
  'p[i] = static_cast<V>(v + beta * before);' \
  'p[i] = v;'

mutant bicgstab_reports_no_breakdown src/solve/bicgstab_steps.hpp \
  'if ((rho < 0 ? -rho : rho) <= orthogonal *' \
  'if ((rho < 0 ? -rho : rho) < 0 * orthogonal *'

mutant minres_has_the_sign_of_the_shift_wrong src/solve/minres_steps.hpp \
  'if (shift != 0) v -= shift * z[i];' \
  'if (shift != 0) v += shift * z[i];'

mutant lsqr_multiplies_by_the_transpose_twice src/solve/lsqr.cpp \
  'on.multiply(V{1}, v, V{0}, t_rows);' \
  'on.multiply_transposed(V{1}, v, V{0}, t_rows);'

mutant power_compares_with_a_negative_number src/solve/power_steps.hpp \
  'set_tolerance(s, found < 0 ? -found : found);' \
  'set_tolerance(s, found);'

mutant polynomials_forget_the_coefficient_before src/solve/preconditioning.hpp \
  '.keep = next * quotient,' \
  '.keep = next,'

mutant gpu_solver_steps_go_on_when_all_is_done src/solve/step.cuh \
  'if (is_done != 0) return;' \
  'if (is_done > 1) return;'

mutant gpu_solver_steps_forget_the_last_block src/solve/step.cuh \
  'for (unsigned t = threadIdx.x; t < gridDim.x; t += step_threads)' \
  'for (unsigned t = threadIdx.x; t + 1 < gridDim.x; t += step_threads)'

mutant epilogues_apply_the_lower_bound_last src/exec/epilogue.cpp \
  'const V in = inside[static_cast<std::size_t>(i)];' \
  'V in = inside[static_cast<std::size_t>(i)];
    if (lower != nullptr && in < by * lower[i]) in = by * lower[i];'

mutant epilogues_ignore_a_beta_in_memory src/exec/epilogue.cpp \
  'factor_now(e.beta, p.beta)' \
  'p.beta'

mutant epilogues_take_dot_products_with_the_first_rows src/exec/epilogue.cpp \
  'dot_of_block(y, e.with[k] + first, size)' \
  'dot_of_block(y, e.with[k], size)'

mutant epilogues_forget_a_block_of_one_row src/exec/epilogue.cpp \
  'for (std::int64_t first = begin; first < end; first += epilogue_block)' \
  'for (std::int64_t first = begin; first + 1 < end; first += epilogue_block)'

mutant epilogues_overwrite_the_y_that_they_read src/plans/epilogues.cpp \
  'if (e.reads(p.y, p.beta)) alone.y = host_product_room<vector_t<S>>(scratch, rows);' \
  ''

mutant epilogues_finish_cut_rows_twice src/plans/cpu_schedule.cpp \
  'finish(pass.first_row[u] + (is_cut(u) ? 1 : 0), pass.first_row[u + 1], sums + 2 * u);' \
  'finish(pass.first_row[u] + (is_cut(u) ? 0 : 0), pass.first_row[u + 1], sums + 2 * u);'

mutant epilogues_learn_no_shares src/plans/cpu_schedule.cpp \
  'workspace.learned(only.number)->learn(pass.cost)' \
  '(void)workspace.learned(only.number)'

mutant packed_units_finish_rows_of_others src/formats/packed/encode/encode.hpp \
  'if (rows != end || (u ==' \
  'if (rows > end || (u =='

mutant gpu_epilogues_forget_dot_products_of_rows_together src/exec/cuda/kernel/finished_rows.cuh \
  'if (N == 1 || row + r * warp_size < end)
            dot_[k] +=' \
  'if (N == 1 || row + (r + 1) * warp_size < end)
            dot_[k] +='

mutant gpu_epilogues_forget_a_last_part src/exec/epilogue.cu \
  'if (i >= parts) break;' \
  'if (i + 1 >= parts) break;'

mutant gpu_epilogues_forget_a_last_part_of_few src/exec/epilogue.cu \
  'if (first + r * threads_of_one_block < parts)' \
  'if (first + r * threads_of_one_block + 1 < parts)'

mutant packed_units_with_rows_of_others_finish_them src/formats/packed/encode/encode.hpp \
  'if (rows != end || (u == s.meta.units && rows != s.meta.rows))' \
  'if (u == s.meta.units && rows != s.meta.rows)'

mutant gpu_epilogues_take_dot_products_one_tile_short src/exec/epilogue.cu \
  'tile < tiles; tile += epilogue_threads' \
  'tile + 1 < tiles; tile += epilogue_threads'
