// SPDX-License-Identifier: BSD-3-Clause
// The table of frequent values on a device: count a sample of values in a hash table, rank the counted
// values, search for values that the sample missed. The result equals the host's table bit for bit. It
// depends on counts, sample indices and bit patterns, never on the order of threads.
#include "exec/cuda/kernel/warp_numbers.cuh"
#include "formats/common/device_value_table.cuh"

namespace gossamer::inline v0::formats {
namespace {

constexpr std::int64_t sample_slots = 2 * sampled_values;
constexpr int sample_threads = 256;
constexpr int rank_threads = 1024;
constexpr int patterns_of_a_thread = sampled_values / rank_threads;
constexpr int missed_threads = 256;
constexpr unsigned missed_blocks = 1024;
constexpr unsigned all_lanes = 0xffffffffu;

/// The bit patterns of the samples, how often each occurs, and the first sample with it.
template <class V>
struct sample_counts {
  bits_of_value<V>* key;
  std::uint32_t* count;
  std::uint32_t* first;
};

template <class Bits>
using atomic_word =
    std::conditional_t<sizeof(Bits) == sizeof(unsigned long long), unsigned long long, unsigned>;

/// The slot of a pattern, which is inserted if it is new. `key` has twice as many slots as patterns can
/// occur.
template <class Bits>
__device__ std::uint32_t claim_slot(Bits* key, std::uint32_t slots, Bits bits, Bits empty) {
  using word = atomic_word<Bits>;
  std::uint32_t at = static_cast<std::uint32_t>(mixed(bits)) & (slots - 1);
  while (true) {
    Bits there = key[at];
    if (there == empty)
      there = static_cast<Bits>(
          atomicCAS(reinterpret_cast<word*>(key + at), static_cast<word>(empty), static_cast<word>(bits)));
    if (there == empty || there == bits) return at;
    at = (at + 1) & (slots - 1);
  }
}

template <class V>
__device__ void put_in_table(device_value_table<V>* table, bits_of_value<V> bits, int rank) {
  table->values[rank] = value_of_bits<V>(bits);
  table->number[claim_slot(table->key, static_cast<std::uint32_t>(device_value_table<V>::slots), bits,
                           no_table_value<V>())] = rank;
}

template <class V>
__global__ void packed_count_sample_per_thread(const V* values, std::int64_t size, std::int64_t samples,
                                               sample_counts<V> counts) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * sample_threads + threadIdx.x;
  V v = 0;
  bool counted = false;
  if (k < samples) {
    v = values[size > samples ? sampled_place(k, size) : k];
    counted = isfinite(v);
  }
  const unsigned lanes = __ballot_sync(all_lanes, counted);
  if (!counted) return;
  const auto bits = bits_of_device_value(v);
  // Lanes with equal values count them together. Otherwise the atomics of a matrix with one value would
  // serialize.
  const unsigned same = __match_any_sync(lanes, static_cast<unsigned long long>(bits));
  if (static_cast<int>(threadIdx.x % exec::warp_size) != __ffs(same) - 1) return;
  const std::uint32_t at =
      claim_slot(counts.key, static_cast<std::uint32_t>(sample_slots), bits, no_table_value<V>());
  atomicAdd(counts.count + at, static_cast<std::uint32_t>(__popc(same)));
  atomicMin(counts.first + at, static_cast<std::uint32_t>(k));
}

/// A pattern of the sample: its rank and its slot. The rank has the count in the upper bits and how early the
/// pattern occurs in the lower bits, so ranks are distinct.
struct ranked_pattern {
  std::uint32_t key;
  std::uint32_t slot;
};
constexpr int first_bits = 15;
static_assert(sampled_values == 1 << first_bits);

template <class V>
__global__ void packed_list_patterns_per_thread(sample_counts<V> counts, ranked_pattern* list,
                                                std::int32_t* size) {
  const std::uint32_t slot = blockIdx.x * sample_threads + threadIdx.x;
  const std::uint32_t count = counts.count[slot];
  const unsigned lanes = __ballot_sync(all_lanes, count != 0);
  if (lanes == 0) return;
  const unsigned lane = threadIdx.x % exec::warp_size;
  int at = 0;
  if (lane == 0) at = atomicAdd(size, __popc(lanes));
  at = __shfl_sync(all_lanes, at, 0) + __popc(lanes & ((1u << lane) - 1));
  if (count != 0) list[at] = {count << first_bits | ((1u << first_bits) - 1 - counts.first[slot]), slot};
}

/// A reduction over a block by join_warp, in all threads. `room` has an element for each warp.
template <class JoinWarp>
__device__ __forceinline__ int join_block(int mine, int* room, JoinWarp&& join_warp) {
  const int of_warp = join_warp(mine);
  __syncthreads();
  if (threadIdx.x % exec::warp_size == 0) room[threadIdx.x / exec::warp_size] = of_warp;
  __syncthreads();
  return join_warp(room[threadIdx.x % exec::warp_size]);
}
__device__ __forceinline__ int sum_of_block(int mine, int* room) {
  return join_block(mine, room, [](int n) { return exec::sum_of_warp(n); });
}
__device__ __forceinline__ int greatest_of_block(int mine, int* room) {
  return join_block(mine, room, [](int n) { return exec::greatest_of_warp(n); });
}

/// One block. Bisection finds the smallest key of the most frequent patterns.
template <class V>
__global__ void __launch_bounds__(rank_threads)
    packed_rank_sample_per_block(sample_counts<V> counts, const ranked_pattern* list,
                                 const std::int32_t* size, bool is_all, device_value_table<V>* table) {
  static_assert(rank_threads == exec::warp_size * exec::warp_size);
  __shared__ int room[exec::warp_size];
  __shared__ std::uint32_t chosen_key[device_value_table<V>::most];
  __shared__ bits_of_value<V> chosen[device_value_table<V>::most];
  __shared__ int found;
  const int different = *size;
  std::uint32_t key[patterns_of_a_thread];
#pragma unroll
  for (int i = 0; i < patterns_of_a_thread; ++i) {
    const int k = i * rank_threads + static_cast<int>(threadIdx.x);
    key[i] = k < different ? list[k].key : 0;
  }
  if (threadIdx.x == 0) found = 0;
  std::uint32_t least = 1;
  if (different > device_value_table<V>::most) {
    int greatest = 0;
#pragma unroll
    for (int i = 0; i < patterns_of_a_thread; ++i) greatest = max(greatest, static_cast<int>(key[i]));
    std::uint32_t too_low = 1u << first_bits;  // a lower bound of all keys
    std::uint32_t high = static_cast<std::uint32_t>(greatest_of_block(greatest, room)) + 1;
    while (high - too_low > 1) {
      const std::uint32_t middle = too_low + (high - too_low) / 2;
      int reach = 0;
#pragma unroll
      for (int i = 0; i < patterns_of_a_thread; ++i) reach += key[i] >= middle ? 1 : 0;
      if (sum_of_block(reach, room) > device_value_table<V>::most)
        too_low = middle;
      else
        high = middle;
    }
    least = high;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < patterns_of_a_thread; ++i) {
    if (key[i] < least) continue;
    const int at = atomicAdd(&found, 1);
    chosen_key[at] = key[i];
    chosen[at] = counts.key[list[i * rank_threads + static_cast<int>(threadIdx.x)].slot];
  }
  for (int i = static_cast<int>(threadIdx.x); i < device_value_table<V>::slots; i += rank_threads) {
    table->key[i] = no_table_value<V>();
    table->number[i] = -1;
    table->missed_key[i] = no_table_value<V>();
  }
  __syncthreads();
  const int n = found;
  if (threadIdx.x == 0) {
    table->size = n;
    table->missed = 0;
    table->holds_all = different <= device_value_table<V>::most ? (is_all ? 1 : values_not_known) : 0;
  }
  if (static_cast<int>(threadIdx.x) >= n) return;
  int rank = 0;
  for (int i = 0; i < n; ++i) rank += chosen_key[i] > chosen_key[threadIdx.x] ? 1 : 0;
  put_in_table(table, chosen[threadIdx.x], rank);
}

/// Inserts a pattern that the sample missed, and counts it if it is new. If there is no room, too many were
/// missed.
template <class V>
__device__ void note_missed(device_value_table<V>* table, bits_of_value<V> bits) {
  constexpr auto slots = static_cast<std::uint32_t>(device_value_table<V>::slots);
  using word = atomic_word<V>;
  std::uint32_t at = static_cast<std::uint32_t>(mixed(bits)) & (slots - 1);
  for (std::uint32_t tries = 0; tries < slots; ++tries) {
    const auto there = static_cast<bits_of_value<V>>(
        atomicCAS(reinterpret_cast<word*>(table->missed_key + at), static_cast<word>(no_table_value<V>()),
                  static_cast<word>(bits)));
    if (there == bits) return;
    if (there == no_table_value<V>()) {
      atomicAdd(&table->missed, 1);
      return;
    }
    at = (at + 1) & (slots - 1);
  }
  atomicAdd(&table->missed, static_cast<int>(slots));
}

template <class V>
__global__ void packed_find_missed_per_thread(const V* values, std::int64_t size,
                                              device_value_table<V>* table) {
  if (table->holds_all != values_not_known) return;
  const int room = device_value_table<V>::most - table->size;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * missed_threads;
  for (std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * missed_threads + threadIdx.x; k < size;
       k += step) {
    const V v = values[k];
    if (!isfinite(v) || find_in_table(*table, v) >= 0) continue;
    if (*static_cast<const volatile std::int32_t*>(&table->missed) > room) return;
    note_missed(table, bits_of_device_value(v));
  }
}

/// One block with a thread for each slot.
template <class V>
__global__ void packed_append_missed_per_block(device_value_table<V>* table) {
  __shared__ bits_of_value<V> found[device_value_table<V>::most];
  __shared__ int size;
  if (table->holds_all != values_not_known) return;
  const int before = table->size;
  const int missed = table->missed;
  const bool fits = missed <= device_value_table<V>::most - before;
  if (threadIdx.x == 0) size = 0;
  __syncthreads();
  if (fits && table->missed_key[threadIdx.x] != no_table_value<V>())
    found[atomicAdd(&size, 1)] = table->missed_key[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    table->holds_all = fits ? 1 : 0;
    table->size = before + (fits ? missed : 0);
  }
  if (!fits || static_cast<int>(threadIdx.x) >= missed) return;
  int rank = before;
  for (int i = 0; i < missed; ++i) rank += found[i] < found[threadIdx.x] ? 1 : 0;
  put_in_table(table, found[threadIdx.x], rank);
}

/// The arrays in the scratch memory.
template <class V>
struct tabulating_memory {
  std::uint32_t count[sample_slots];
  std::int32_t patterns[64];  ///< their number, padded to a multiple of 256 bytes
  std::uint32_t first[sample_slots];
  bits_of_value<V> key[sample_slots];
  ranked_pattern list[sampled_values];
};

}  // namespace

std::int64_t tabulating_bytes() {
  return sizeof(tabulating_memory<double>);
}

template <value V>
void tabulate_on_device(const V* values, std::int64_t size, device_value_table<V>* table, void* scratch,
                        cuda_stream stream) {
  auto* const memory = static_cast<tabulating_memory<V>*>(scratch);
  const sample_counts<V> counts{.key = memory->key, .count = memory->count, .first = memory->first};
  const auto set = [&](void* from, const void* to, int byte) {
    const auto bytes = static_cast<std::size_t>(static_cast<const char*>(to) - static_cast<char*>(from));
    exec::check_cuda(static_cast<int>(cudaMemsetAsync(from, byte, bytes, stream.handle())),
                     "cudaMemsetAsync");
  };
  set(memory->count, memory->first, 0);
  set(memory->first, memory->list, 0xff);  // also the keys: ~0 marks an empty slot
  const std::int64_t samples = std::min(size, sampled_values);
  packed_count_sample_per_thread<<<exec::blocks_for(samples, sample_threads), sample_threads, 0,
                                   stream.handle()>>>(values, size, samples, counts);
  exec::check_launch("value table: count a sample");
  packed_list_patterns_per_thread<<<sample_slots / sample_threads, sample_threads, 0, stream.handle()>>>(
      counts, memory->list, memory->patterns);
  exec::check_launch("value table: list what a sample has");
  packed_rank_sample_per_block<<<1, rank_threads, 0, stream.handle()>>>(
      counts, memory->list, memory->patterns, size == samples, table);
  exec::check_launch("value table: rank a sample");
  if (size == samples) return;
  packed_find_missed_per_thread<<<std::min(missed_blocks, exec::blocks_for(size, missed_threads)),
                                  missed_threads, 0, stream.handle()>>>(values, size, table);
  exec::check_launch("value table: find missed values");
  packed_append_missed_per_block<<<1, device_value_table<V>::slots, 0, stream.handle()>>>(table);
  exec::check_launch("value table: append missed values");
}

template <value V>
void clear_table_on_device(device_value_table<V>* table, cuda_stream stream) {
  const auto set = [&](void* from, int byte, std::size_t bytes) {
    exec::check_cuda(static_cast<int>(cudaMemsetAsync(from, byte, bytes, stream.handle())),
                     "cudaMemsetAsync");
  };
  set(table, 0, sizeof(*table));
  set(table->number, 0xff, sizeof(table->number));
}

template void tabulate_on_device(const float*, std::int64_t, device_value_table<float>*, void*, cuda_stream);
template void tabulate_on_device(const double*, std::int64_t, device_value_table<double>*, void*,
                                 cuda_stream);
template void clear_table_on_device(device_value_table<float>*, cuda_stream);
template void clear_table_on_device(device_value_table<double>*, cuda_stream);

}  // namespace gossamer::inline v0::formats
