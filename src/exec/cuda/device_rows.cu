// SPDX-License-Identifier: BSD-3-Clause
#include "core/instantiate.hpp"
#include "exec/cuda/device_rows.hpp"

#include <limits>
#include <vector>

#include "core/row_lengths.hpp"
#include "core/spread_sample.hpp"
#include "exec/cuda/kernel/warp_numbers.cuh"
#include "exec/cuda/temporary_array.hpp"

namespace gossamer::inline v0::exec {
namespace {

constexpr int threads = 256;
constexpr int short_lengths = 4096;  ///< lengths below that are counted in an array
constexpr int most_blocks = 1024;
constexpr std::int64_t rows_of_a_group = spread_sample::rows_of_a_group;
constexpr int slots_of_a_group = 2 * spread_sample::entries_of_a_group;

struct counted_rows {
  std::int32_t invalid;
  std::int32_t long_rows;
  std::int64_t sliced_slots;
  std::int64_t sampled_entries;
  std::int64_t sampled_parts;
  std::int64_t rows_of_length[short_lengths];
  // Behind it, the lengths of the long rows.
};

/// Adds to a number of the host's type.
__device__ void add_to(std::int64_t* to, std::int64_t n) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(n));
}

template <class O>
__global__ void count_row_per_thread(const O* row_ptr, std::int64_t rows, std::int64_t nnz,
                                     std::int64_t most_long, std::int64_t* long_lengths, counted_rows* to) {
  __shared__ int rows_of_length[short_lengths];
  for (int i = static_cast<int>(threadIdx.x); i < short_lengths; i += threads) rows_of_length[i] = 0;
  __syncthreads();
  bool invalid = false;
  std::int64_t slots = 0;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  // Whole warps go round together; a warp's rows are one of the groups whose longest row counts.
  const std::int64_t end = (rows + warp_size - 1) / warp_size * warp_size;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < end; i += step) {
    std::int64_t length = -1;
    if (i < rows) {
      const auto first = static_cast<std::int64_t>(row_ptr[i]);
      const auto last = static_cast<std::int64_t>(row_ptr[i + 1]);
      length = last - first;
      if (length < 0 || (i == 0 && first != 0) || (i == rows - 1 && last != nnz) || last > nnz || first < 0) {
        invalid = true;
        length = 0;
      }
    }
    const auto in_warp = static_cast<int>(min(rows - i / warp_size * warp_size, std::int64_t{warp_size}));
    const std::int64_t longest = greatest_of_warp(length);
    if (threadIdx.x % warp_size == 0) slots += longest * in_warp;
    int all_same = 0;
    __match_all_sync(0xffffffffu, static_cast<long long>(length), &all_same);
    if (length >= short_lengths) {
      const int at = atomicAdd(&to->long_rows, 1);
      if (at < most_long) long_lengths[at] = length;
    } else if (all_same != 0) {
      if (threadIdx.x % warp_size == 0) atomicAdd(rows_of_length + length, warp_size);
    } else if (length >= 0) {
      atomicAdd(rows_of_length + length, 1);
    }
  }
  if (invalid) to->invalid = 1;
  if (slots > 0) add_to(&to->sliced_slots, slots);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < short_lengths; i += threads)
    if (rows_of_length[i] > 0) add_to(to->rows_of_length + i, rows_of_length[i]);
}

__global__ void check_column_per_thread(const std::int32_t* col, std::int64_t nnz, std::uint32_t cols,
                                        counted_rows* to) {
  bool invalid = false;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
  for (std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; k < nnz; k += step)
    invalid |= static_cast<std::uint32_t>(col[k]) >= cols;
  if (invalid) to->invalid = 1;
}

/// One block a group of rows: how many aligned groups of four columns its first entries have.
template <class O>
__global__ void sample_group_per_block(const O* row_ptr, const std::int32_t* col, std::int64_t rows,
                                       std::int64_t nnz, counted_rows* to) {
  __shared__ std::int32_t seen[slots_of_a_group];
  __shared__ int different;
  for (int i = static_cast<int>(threadIdx.x); i < slots_of_a_group; i += threads) seen[i] = -1;
  if (threadIdx.x == 0) different = 0;
  __syncthreads();
  const std::int64_t all = max(std::int64_t{1}, rows / rows_of_a_group);
  const std::int64_t first_row = all * blockIdx.x / gridDim.x * rows_of_a_group;
  const std::int64_t last_row = min(rows, first_row + rows_of_a_group);
  // What is not valid is not followed.
  const std::int64_t begin = max(std::int64_t{0}, min(nnz, static_cast<std::int64_t>(row_ptr[first_row])));
  const std::int64_t end = max(begin, min(min(nnz, static_cast<std::int64_t>(row_ptr[last_row])),
                                          begin + spread_sample::entries_of_a_group));
  for (std::int64_t k = begin + threadIdx.x; k < end; k += threads) {
    const std::int32_t part =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(col[k]) / spread_sample::columns_together);
    unsigned at = static_cast<unsigned>(part) * 2654435761u >> 21;  // of 2^11
    while (true) {
      const std::int32_t there = atomicCAS(seen + at, -1, part);
      if (there == -1) atomicAdd(&different, 1);
      if (there == -1 || there == part) break;
      at = (at + 1) % slots_of_a_group;
    }
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  add_to(&to->sampled_entries, end - begin);
  add_to(&to->sampled_parts, different);
}

}  // namespace

template <value V, offset O>
std::optional<row_statistics> measure_rows_on_device(const csr_view<V, O, device_space>& a, int device) {
  static_assert(slots_of_a_group == 1 << 11);
  const std::int64_t most_long = std::min(a.rows, a.nnz() / short_lengths);
  const temporary_array<std::byte> room(
      sizeof(counted_rows) + static_cast<std::size_t>(most_long) * sizeof(std::int64_t), device);
  auto* const counts = reinterpret_cast<counted_rows*>(room.data());
  auto* const long_lengths = reinterpret_cast<std::int64_t*>(room.data() + sizeof(counted_rows));
  check_cuda(static_cast<int>(cudaMemsetAsync(counts, 0, sizeof(counted_rows))), "cudaMemsetAsync");
  if (a.rows > 0) {
    count_row_per_thread<<<std::min<unsigned>(most_blocks, blocks_for(a.rows, threads)), threads>>>(
        a.row_ptr.data(), a.rows, a.nnz(), most_long, long_lengths, counts);
    check_launch("count_row_per_thread");
    const auto taken = static_cast<unsigned>(
        std::min<std::int64_t>(spread_sample::groups, std::max<std::int64_t>(1, a.rows / rows_of_a_group)));
    sample_group_per_block<<<taken, threads>>>(a.row_ptr.data(), a.col.data(), a.rows, a.nnz(), counts);
    check_launch("sample_group_per_block");
  }
  if (a.nnz() > 0) {
    check_column_per_thread<<<std::min<unsigned>(4 * most_blocks, blocks_for(a.nnz(), threads)), threads>>>(
        a.col.data(), a.nnz(), static_cast<std::uint32_t>(a.cols), counts);
    check_launch("check_column_per_thread");
  }
  std::vector<std::byte> here(sizeof(counted_rows));
  copy_async(here.data(), room.data(), here.size(), copy_kind::device_to_host, {});
  synchronize({});
  const auto* const found = reinterpret_cast<const counted_rows*>(here.data());
  if (found->invalid != 0 || (a.rows == 0 && a.nnz() > 0)) return {};
  row_length_distribution lengths;
  for (int n = 0; n < short_lengths; ++n)
    if (found->rows_of_length[n] > 0) lengths.emplace_back(n, found->rows_of_length[n]);
  std::vector<std::int64_t> others(static_cast<std::size_t>(found->long_rows));
  if (!others.empty()) {
    copy_async(others.data(), long_lengths, others.size() * sizeof(std::int64_t), copy_kind::device_to_host,
               {});
    synchronize({});
  }
  std::sort(others.begin(), others.end());
  for (const std::int64_t n : others) {
    if (lengths.empty() || lengths.back().first != n) lengths.emplace_back(n, 0);
    ++lengths.back().second;
  }
  row_statistics s = statistics_of(lengths, a.cols);
  s.sliced_slots = found->sliced_slots;
  if (found->sampled_entries > 0)
    s.spread = static_cast<double>(found->sampled_parts) / static_cast<double>(found->sampled_entries);
  return s;
}

#define GOSSAMER_INSTANCE(V, O) \
  template std::optional<row_statistics> measure_rows_on_device(const csr_view<V, O, device_space>&, int);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::exec
