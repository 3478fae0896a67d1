// SPDX-License-Identifier: BSD-3-Clause
// Encodes a matrix in device memory on its device: the table of values, the cuts of windows, a scan of their
// counts, headers, arrays. The host waits where it needs sizes to allocate memory.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "exec/cuda/device_arena.hpp"
#include "exec/cuda/kernel/launch.cuh"
#include "exec/cuda/temporary_array.hpp"
#include "formats/packed/cuda/build/cut_window.cuh"
#include "formats/packed/cuda/build/headers.cuh"
#include "formats/packed/cuda/build/write.cuh"
#include "formats/packed/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Temporary arrays in one allocation, each at a multiple of 256 bytes.
class memory_of_arrays {
 public:
  template <class T>
  std::size_t add(std::int64_t count) {
    const std::size_t at = bytes_;
    bytes_ += (static_cast<std::size_t>(count) * sizeof(T) + alignment - 1) / alignment * alignment;
    return at;
  }
  void allocate(int device) { memory_ = exec::temporary_array<std::byte>(bytes_, device); }
  template <class T>
  [[nodiscard]] T* at(std::size_t offset) {
    return reinterpret_cast<T*>(memory_.data() + offset);
  }

 private:
  static constexpr std::size_t alignment = 256;
  std::size_t bytes_ = 0;
  exec::temporary_array<std::byte> memory_;
};

template <class T>
T fetch(const T* from) {
  T here;
  exec::copy_async(&here, from, sizeof(T), exec::copy_kind::device_to_host, {});
  exec::synchronize({});
  return here;
}

struct added {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

/// An exclusive scan: before[0] ... before[count]. values[count] is ignored, but must exist.
template <class T>
class running_sums {
 public:
  explicit running_sums(std::int64_t count) : count_(static_cast<int>(count)) {
    run(nullptr, bytes_, nullptr, nullptr);
  }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(bytes_); }
  void operator()(void* room, const T* values, T* before) {
    std::size_t bytes = bytes_;
    run(room, bytes, values, before);
  }

 private:
  void run(void* room, std::size_t& bytes, const T* values, T* before) {
    exec::check_cuda(static_cast<int>(cub::DeviceScan::ExclusiveScan(room, bytes, values, before, added{},
                                                                     T{}, count_ + 1)),
                     "packed: running sums");
  }

  int count_;
  std::size_t bytes_ = 0;
};

constexpr int order_threads = 256;

__global__ void packed_length_per_thread(const packed_slice* slice, int count, packed_slice* copy,
                                         std::uint8_t* length, std::int32_t* number) {
  const int i = static_cast<int>(blockIdx.x) * order_threads + static_cast<int>(threadIdx.x);
  if (i >= count) return;
  copy[i] = slice[i];
  length[i] = static_cast<std::uint8_t>(packed_length_class(slice[i]));
  number[i] = i;
}

__global__ void packed_place_per_thread(const packed_slice* copy, const std::int32_t* number, int count,
                                        packed_slice* slice) {
  const int i = static_cast<int>(blockIdx.x) * order_threads + static_cast<int>(threadIdx.x);
  if (i < count) slice[i] = copy[number[i]];
}

/// packed_sort_longest_first() on a device, in memory of the caller: copies of the headers, two arrays of
/// lengths, two arrays of indices, and scratch.
class slice_sorter {
 public:
  struct memory {
    packed_slice* copies;
    std::uint8_t* lengths[2];
    std::int32_t* numbers[2];
    void* room;
  };

  explicit slice_sorter(std::int64_t count) : count_(static_cast<int>(count)) { sort({}); }
  [[nodiscard]] std::int64_t room_bytes() const { return static_cast<std::int64_t>(bytes_); }

  /// Asynchronous, in the null stream.
  void operator()(packed_slice* slices, const memory& m) {
    const unsigned blocks = exec::blocks_for(count_, order_threads);
    packed_length_per_thread<<<blocks, order_threads>>>(slices, count_, m.copies, m.lengths[0], m.numbers[0]);
    exec::check_launch("packed: lengths of slices");
    sort(m);
    packed_place_per_thread<<<blocks, order_threads>>>(m.copies, m.numbers[1], count_, slices);
    exec::check_launch("packed: order of slices");
  }

 private:
  void sort(const memory& m) {
    exec::check_cuda(static_cast<int>(cub::DeviceRadixSort::SortPairsDescending(
                         m.room, bytes_, m.lengths[0], m.lengths[1], m.numbers[0], m.numbers[1], count_, 0,
                         packed_length_bits)),
                     "packed: order of slices");
  }

  int count_;
  std::size_t bytes_ = 0;
};

}  // namespace

template <value V, offset O>
std::optional<packed_storage<V, exec::device_buffer>> packed::build_on_device(
    const csr_view<V, O, device_space>& a, const row_statistics& statistics, const options& o,
    const exec::target& target) {
  constexpr std::int64_t most_numbered = std::numeric_limits<std::int32_t>::max();
  if (!can_build_on_device<V>(o) || a.rows == 0 || statistics.max >= most_numbered) return {};
  const int device = target.device;
  const std::int64_t windows = packed_windows_of(a.rows);

  running_sums<packed_code::cut_amounts> sum_windows(windows);
  memory_of_arrays first;
  const auto table_at = first.add<device_value_table<V>>(1);
  const auto scratch_at = first.add<std::byte>(tabulating_bytes());
  const auto order_at = first.add<std::int32_t>(a.rows);
  const auto cut_at = first.add<packed_window_cut>(windows);
  const auto sums_at = first.add<packed_code::cut_amounts>(windows + 1);
  const auto before_at = first.add<packed_code::cut_amounts>(windows + 1);
  const auto room_at = first.add<std::byte>(sum_windows.bytes());
  first.allocate(device);
  auto* const table = first.at<device_value_table<V>>(table_at);
  if (replaces_values(o))
    clear_table_on_device(table, {});
  else
    tabulate_on_device<V>(a.val.data(), a.nnz(), table, first.at<std::byte>(scratch_at), {});

  packed_to_cut<V, O> how{.rows = a.rows,
                          .row_ptr = a.row_ptr.data(),
                          .col = a.col.data(),
                          .val = a.val.data(),
                          .table = table,
                          .slot_bytes_without_table = packed_code::slot_bytes_of<V>(o.precision),
                          .rules = packed_cut_rules::of(o, true, sizeof(V), a.nnz())};
  const auto decide = [&] {
    packed_decide_window_per_block<V, O><<<static_cast<unsigned>(windows), packed_cut_threads>>>(
        how, first.at<packed_window_cut>(cut_at), first.at<packed_code::cut_amounts>(sums_at));
    exec::check_launch("packed: decide windows");
    sum_windows(first.at<std::byte>(room_at), first.at<packed_code::cut_amounts>(sums_at),
                first.at<packed_code::cut_amounts>(before_at));
    return fetch(first.at<packed_code::cut_amounts>(before_at) + windows);
  };
  packed_code::cut_amounts all = decide();
  const auto try_another_way = [&](packed_short_rows way, auto&& is_better) {
    how.rules.short_rows = way;
    const packed_code::cut_amounts other = decide();
    if (is_better(other)) {
      all = other;
      return;
    }
    how.rules.short_rows = packed_short_rows::automatic;
    all = decide();
  };
  if (packed_code::may_drop_coo_slices(o.short_rows, all.lane_slices, all.coo_slices, how.rules.costs))
    try_another_way(packed_short_rows::padded, [&](const packed_code::cut_amounts& padded) {
      return packed_code::drops_coo_slices(padded.lane_slices, all.lane_slices, all.coo_slices);
    });
  else if (packed_code::may_drop_lane_slices(o.short_rows, all.lane_slices, all.coo_slices, all.row_parts,
                                             a.nnz()))
    try_another_way(packed_short_rows::entries,
                    [](const packed_code::cut_amounts& entries) { return entries.lane_slices == 0; });
  if (const packed_short_rows kind = packed_code::only_kind(how.rules.short_rows, all, a.nnz());
      kind != packed_short_rows::automatic)
    try_another_way(
        kind, [&](const packed_code::cut_amounts& other) { return packed_code::has_only(kind, other); });
  if (all.slices() >= most_numbered || all.lane_slices * o.warps_per_slice + all.coo_slices > most_numbered)
    return {};

  const std::int64_t warps = packed_code::warps_of_a_slice(o.warps_per_slice, o.shares_diagonals(), all);
  const int log2_warps = std::countr_zero(static_cast<std::uint32_t>(warps));
  const std::int64_t to_sort =
      packed_longest_first(all.lane_slices, all.coo_slices, log2_warps, sizeof(V)) ? all.lane_slices : 0;
  running_sums<std::uint64_t> sum_pieces(all.slices());
  slice_sorter sort_slices(to_sort);
  memory_of_arrays second;
  const auto slice_at = second.add<packed_cut_slice>(all.slices());
  const auto header_at = second.add<packed_slice>(all.slices());
  const auto diagonal_at = second.add<std::int32_t>(all.diagonal_steps);
  const auto pieces_at = second.add<std::uint64_t>(all.slices() + 1);
  const auto begin_at = second.add<std::uint64_t>(all.slices() + 1);
  const auto found_at = second.add<packed_found>(1);
  const auto scan_at = second.add<std::byte>(sum_pieces.bytes());
  const auto row_at = second.add<std::int32_t>(all.cut_rows);
  const auto first_part_at = second.add<std::int64_t>(all.cut_rows);
  const auto last_part_at = second.add<std::int64_t>(all.cut_rows);
  const std::size_t length_at[] = {second.add<std::uint8_t>(to_sort), second.add<std::uint8_t>(to_sort)};
  const std::size_t number_at[] = {second.add<std::int32_t>(to_sort), second.add<std::int32_t>(to_sort)};
  const auto sort_at = second.add<std::byte>(sort_slices.room_bytes());
  second.allocate(device);
  packed_cut_window_per_block<V, O><<<static_cast<unsigned>(windows), packed_cut_threads>>>(
      how, {.window = first.at<packed_window_cut>(cut_at),
            .before = first.at<packed_code::cut_amounts>(before_at),
            .order = first.at<std::int32_t>(order_at),
            .diagonal = second.at<std::int32_t>(diagonal_at),
            .slice = second.at<packed_cut_slice>(slice_at),
            .carry_row = second.at<std::int32_t>(row_at),
            .carry_first = second.at<std::int64_t>(first_part_at),
            .carry_last = second.at<std::int64_t>(last_part_at)});
  exec::check_launch("packed: cut windows");
  const packed_to_encode<V, O> to_encode{
      .a = how,
      .slice = second.at<packed_cut_slice>(slice_at),
      .slices = all.slices(),
      .order = first.at<std::int32_t>(order_at),
      .diagonal = second.at<std::int32_t>(diagonal_at),
      .half = packed_half_kind(o.precision == packed_precision::bf16),
      .whole = replaces_values(o),
      .may_elide = packed_code::looks_for_elidable_deltas(o.elided_deltas, a.rows, a.nnz()) &&
                   packed_code::may_elide_deltas(all.coo_slices, all.row_parts)};
  constexpr int slices_of_block = packed_encoding_threads / exec::warp_size;
  const unsigned blocks = exec::blocks_for(all.slices(), slices_of_block);
  auto* const there = second.at<packed_found>(found_at);
  auto* const begin = second.at<std::uint64_t>(begin_at);
  auto* const header = second.at<packed_slice>(header_at);
  exec::check_cuda(static_cast<int>(cudaMemsetAsync(there, 0, sizeof(packed_found))), "cudaMemsetAsync");
  packed_header_per_warp<V, O>
      <<<blocks, packed_encoding_threads>>>(to_encode, header, second.at<std::uint64_t>(pieces_at), there);
  exec::check_launch("packed: headers");
  const auto find = [&] {
    sum_pieces(second.at<std::byte>(scan_at), second.at<std::uint64_t>(pieces_at), begin);
    packed_gather_found_per_thread<V><<<1, 1>>>(there, begin + all.slices(), table);
    exec::check_launch("packed: what was found");
    return fetch(there);
  };
  packed_found found = find();
  packed_code::amounts counted{all};
  counted.saved_pieces = static_cast<std::int64_t>(found.saved_pieces);
  if (counted.saved_pieces > 0 &&
      !packed_code::saves_enough_by_elision(o.elided_deltas, a.nnz(), static_cast<std::int64_t>(found.pieces),
                                            counted.saved_pieces)) {
    constexpr int threads = 256;
    packed_store_all_deltas_per_thread<V><<<exec::blocks_for(all.slices(), threads), threads>>>(
        all.slices(), header, to_encode.slice, second.at<std::uint64_t>(pieces_at));
    exec::check_launch("packed: headers");
    found = find();
    counted.saved_pieces = 0;
  }
  if (found.pieces > std::numeric_limits<std::uint32_t>::max()) return {};
  counted.pieces = static_cast<std::int64_t>(found.pieces);
  counted.table_slices = (found.kinds & packed_has_table_codes) != 0 ? 1 : 0;  // or more
  counted.half_slices = (found.kinds & packed_has_halves) != 0 ? 1 : 0;

  packed_storage<V, exec::device_buffer> s;
  exec::device_arena together;
  const std::int64_t table_size = counted.table_slices > 0 ? found.table_size : 0;
  const auto bytes = static_cast<std::int64_t>(found.pieces * packed_piece) + packed_code::behind_the_last;
  together.add(s.table, table_size);
  together.add(s.slice, all.slices());
  together.add(s.data, bytes);
  together.add(s.carries.row, all.cut_rows);
  together.add(s.carries.first, all.cut_rows);
  together.add(s.carries.last, all.cut_rows);
  together.allocate(device);
  exec::check_cuda(static_cast<int>(cudaMemsetAsync(s.data.data(), 0, s.data.size())), "cudaMemsetAsync");
  packed_write_slice_per_warp<V, O>
      <<<blocks, packed_encoding_threads>>>(to_encode, begin, header, s.slice.data(), s.data.data());
  exec::check_launch("packed: slices");
  if (to_sort > 0)
    sort_slices(s.slice.data(),
                {.copies = header,
                 .lengths = {second.at<std::uint8_t>(length_at[0]), second.at<std::uint8_t>(length_at[1])},
                 .numbers = {second.at<std::int32_t>(number_at[0]), second.at<std::int32_t>(number_at[1])},
                 .room = second.at<std::byte>(sort_at)});
  const auto copy = [](auto& to, const auto* from) {
    if (!to.empty())
      exec::copy_async(to.data(), from, to.size() * sizeof(*from), exec::copy_kind::device_to_device, {});
  };
  copy(s.table, table->values);
  copy(s.carries.row, second.at<std::int32_t>(row_at));
  copy(s.carries.first, second.at<std::int64_t>(first_part_at));
  copy(s.carries.last, second.at<std::int64_t>(last_part_at));
  s.meta = packed_code::meta_of(a, o, true, counted);
  s.meta.carries.longest = all.cut_rows == 0 ? 0 : (statistics.max + o.longest_part - 1) / o.longest_part;
  s.meta.carries.slots = all.row_parts;
  exec::synchronize({});
  return s;
}

#define GOSSAMER_BUILD_INSTANCE(S, O)                                                               \
  template std::optional<packed_storage<matrix_t<S>, exec::device_buffer>> packed::build_on_device( \
      const csr_view<matrix_t<S>, O, device_space>&, const row_statistics&, const options&,         \
      const exec::target&);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_BUILD_INSTANCE, std::int32_t)
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_BUILD_INSTANCE, std::int64_t)
#undef GOSSAMER_BUILD_INSTANCE

}  // namespace gossamer::inline v0::formats
