// SPDX-License-Identifier: BSD-3-Clause
// Builds cached_x on a CUDA device, in the steps of build.hpp. Sorts are stable and sums are of whole
// numbers, so the arrays equal those of the host. The host waits where it needs sizes to allocate memory.
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "exec/cuda/device_arena.hpp"
#include "exec/cuda/temporary_array.hpp"
#include "formats/cached_x/cuda/build_kernels.cuh"
#include "formats/cached_x/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

using exec::temporary_array;

constexpr int bits_for(std::int64_t values) {
  return std::max(
      1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(values, 1) - 1))));
}

template <class T>
T fetch(const T* from) {
  T here;
  exec::copy_async(&here, from, sizeof(T), exec::copy_kind::device_to_host, {});
  exec::synchronize({});
  return here;
}
template <class T>
void fill(const temporary_array<T>& array, std::int64_t size, int byte) {
  exec::check_cuda(
      static_cast<int>(cudaMemsetAsync(array.data(), byte, static_cast<std::size_t>(size) * sizeof(T))),
      "cudaMemsetAsync");
}

/// Calls one of CUB's algorithms with the scratch memory that it asks for.
template <class Algorithm>
void with_cub_scratch(int device, Algorithm&& algorithm) {
  std::size_t bytes = 0;
  exec::check_cuda(static_cast<int>(algorithm(static_cast<void*>(nullptr), bytes)), "cached_x: build");
  const temporary_array<std::byte> room(bytes, device);
  exec::check_cuda(static_cast<int>(algorithm(static_cast<void*>(room.data()), bytes)), "cached_x: build");
}

/// The table, if it has all values.
template <value V>
class complete_value_table {
 public:
  complete_value_table(device_span<const V> values, int device) : table_(1, device) {
    const auto size = static_cast<std::int64_t>(values.size());
    const temporary_array<std::byte> scratch(static_cast<std::size_t>(tabulating_bytes()), device);
    tabulate_on_device<V>(values.data(), size, table_.data(), scratch.data(), {});
    const temporary_array<int> missing(1, device);
    fill(missing, 1, 0);
    find_missing<V><<<blocks_of(size), threads>>>(values.data(), size, table_.data(), missing.data());
    exec::check_launch("cached_x: find missing values");
    if (fetch(missing.data()) != 0) return;
    size_ = fetch(&table_.data()->size);
  }
  [[nodiscard]] const device_value_table<V>* get() const { return table_.data(); }
  [[nodiscard]] std::int64_t size() const { return size_; }  ///< 0: it lacks values

 private:
  temporary_array<device_value_table<V>> table_;
  std::int64_t size_ = 0;
};

/// Where the entries go, and what the columns need.
template <offset O>
struct device_places {
  std::int64_t chunks = 0;
  std::int64_t panels = 0;
  bool in_order = true;
  std::int64_t frequent_columns = 0;
  temporary_array<std::int32_t> row_of_slot;
  temporary_array<O> entry_of_slot;
  temporary_array<std::int32_t> panel_chunk;
  temporary_array<std::int32_t> frequent;
  temporary_array<std::uint32_t> code;  ///< of each column

  [[nodiscard]] std::int64_t slots() const { return chunks * cached_x_chunk; }
  [[nodiscard]] entries_of_slots<O> entries() const { return {row_of_slot.data(), entry_of_slot.data()}; }
};

template <value V, offset O>
void place_by_panels(const csr_view<V, O, device_space>& a, const std::int32_t* row, std::int64_t width,
                     int device, device_places<O>& to) {
  const std::int64_t nnz = a.nnz();
  const auto size = static_cast<std::size_t>(nnz);
  to.panels = (a.cols + width - 1) / width;
  const auto panels = static_cast<std::size_t>(to.panels);
  const temporary_array<std::uint32_t> sorted(size, device);
  const temporary_array<O> number(size, device);
  {
    const temporary_array<std::uint32_t> panel(size, device);
    const temporary_array<O> before(size, device);
    const temporary_array<int> unordered(1, device);
    fill(unordered, 1, 0);
    find_panels<O><<<blocks_of(nnz), threads>>>(a.col.data(), row, nnz, width, panel.data(), before.data(),
                                                unordered.data());
    exec::check_launch("cached_x: find panels");
    with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(room, bytes, std::as_const(panel).data(), sorted.data(),
                                             std::as_const(before).data(), number.data(), nnz, 0,
                                             bits_for(to.panels));
    });
    to.in_order = fetch(unordered.data()) == 0;
  }
  const temporary_array<std::int64_t> begin(panels + 1, device);
  find_begins<<<blocks_of(to.panels + 1), threads>>>(sorted.data(), nnz, to.panels, begin.data());
  exec::check_launch("cached_x: find begins");
  std::vector<std::int64_t> begins(panels + 1);
  exec::copy_async(begins.data(), begin.data(), begins.size() * sizeof(std::int64_t),
                   exec::copy_kind::device_to_host, {});
  exec::synchronize({});
  std::vector<std::int32_t> panel_chunk(panels + 1);
  for (std::size_t p = 0; p < panels; ++p)
    panel_chunk[p + 1] =
        panel_chunk[p] + static_cast<std::int32_t>(cached_x_chunks_of(begins[p + 1] - begins[p]));
  to.chunks = panel_chunk.back();
  to.panel_chunk = temporary_array<std::int32_t>(panels + 1, device);
  exec::copy_async(to.panel_chunk.data(), panel_chunk.data(), panel_chunk.size() * sizeof(std::int32_t),
                   exec::copy_kind::host_to_device, {});
  const auto slots = static_cast<std::size_t>(to.slots());
  to.row_of_slot = temporary_array<std::int32_t>(slots, device);
  to.entry_of_slot = temporary_array<O>(slots, device);
  fill(to.row_of_slot, to.slots(), 0xff);
  place_in_panels<O><<<blocks_of(nnz), threads>>>(sorted.data(), number.data(), row, nnz, begin.data(),
                                                  to.panel_chunk.data(), to.row_of_slot.data(),
                                                  to.entry_of_slot.data());
  exec::check_launch("cached_x: place entries");
  exec::synchronize({});  // panel_chunk is copied
}

template <value V, offset O>
void place_in_order(const csr_view<V, O, device_space>& a, const std::int32_t* row,
                    std::int64_t most_frequent, int device, device_places<O>& to) {
  const std::int64_t nnz = a.nnz();
  const auto cols = static_cast<std::size_t>(a.cols);
  to.chunks = cached_x_chunks_of(nnz);
  to.row_of_slot = temporary_array<std::int32_t>(static_cast<std::size_t>(to.slots()), device);
  fill(to.row_of_slot, to.slots(), 0xff);
  exec::copy_async(to.row_of_slot.data(), row, static_cast<std::size_t>(nnz) * sizeof(std::int32_t),
                   exec::copy_kind::device_to_device, {});
  const temporary_array<std::uint32_t> count(cols, device);
  const temporary_array<std::uint32_t> sorted(cols, device);
  const temporary_array<std::int32_t> column(cols, device);
  const temporary_array<std::int32_t> by_count(cols, device);
  fill(count, a.cols, 0);
  count_columns<<<blocks_of(nnz), threads>>>(a.col.data(), nnz, count.data());
  exec::check_launch("cached_x: count columns");
  iota<<<blocks_of(a.cols), threads>>>(a.cols, column.data());
  exec::check_launch("cached_x: number columns");
  with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairsDescending(room, bytes, std::as_const(count).data(), sorted.data(),
                                                     std::as_const(column).data(), by_count.data(), a.cols);
  });
  std::vector<std::uint32_t> counts(static_cast<std::size_t>(std::min(most_frequent, a.cols)));
  exec::copy_async(counts.data(), sorted.data(), counts.size() * sizeof(std::uint32_t),
                   exec::copy_kind::device_to_host, {});
  exec::synchronize({});
  to.frequent_columns = std::find(counts.begin(), counts.end(), 0u) - counts.begin();
  to.frequent = temporary_array<std::int32_t>(static_cast<std::size_t>(to.frequent_columns), device);
  with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(room, bytes, std::as_const(by_count).data(), to.frequent.data(),
                                          to.frequent_columns);
  });
  to.code = temporary_array<std::uint32_t>(cols, device);
  iota<<<blocks_of(a.cols), threads>>>(a.cols, to.code.data());
  exec::check_launch("cached_x: number columns");
  encode_frequent<<<blocks_of(to.frequent_columns), threads>>>(to.frequent.data(), to.frequent_columns,
                                                               to.code.data());
  exec::check_launch("cached_x: encode frequent columns");
}

}  // namespace

template <value V, offset O>
std::optional<cached_x_storage<V, exec::device_buffer>> cached_x::build_on_device(
    const csr_view<V, O, device_space>& a, const row_statistics& statistics, const options& o,
    const exec::target& target) {
  const int device = target.device;
  const std::int64_t nnz = a.nnz();
  const cached_x_choice how = choice_of<V>(o, device_set::cuda);
  const bool has_panels = o.columns == cached_x_columns::panels;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (a.rows == 0 || pieces_bound<sizeof(V)>(statistics, o) >= most || nnz >= most) return {};

  device_places<O> places;
  {
    const temporary_array<std::int32_t> row(static_cast<std::size_t>(nnz), device);
    find_rows<O><<<blocks_of(nnz), threads>>>(a.row_ptr.data(), a.rows, nnz, row.data());
    exec::check_launch("cached_x: find rows");
    if (has_panels)
      place_by_panels(a, row.data(), how.cached, device, places);
    else
      place_in_order(a, row.data(), how.cached, device, places);
  }
  const std::int64_t chunks = places.chunks;
  const std::int64_t slots = places.slots();
  const std::int64_t segment = cached_x_segment(o.columns, chunks);

  // Pieces.
  const temporary_array<std::uint8_t> ends(static_cast<std::size_t>(chunks * cached_x_lanes), device);
  const temporary_array<std::int32_t> of_chunk(static_cast<std::size_t>(chunks) + 1, device);
  const temporary_array<std::int32_t> chunk_piece(static_cast<std::size_t>(chunks) + 1, device);
  fill(of_chunk, chunks + 1, 0);
  find_ends<<<exec::blocks_for(chunks, chunks_of_block), threads>>>(places.row_of_slot.data(), chunks,
                                                                    segment, ends.data(), of_chunk.data());
  exec::check_launch("cached_x: find ends");
  with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(room, bytes, std::as_const(of_chunk).data(), chunk_piece.data(),
                                         chunks + 1);
  });
  const std::int64_t pieces = fetch(chunk_piece.data() + chunks);
  const temporary_array<std::int32_t> row_of_piece(static_cast<std::size_t>(pieces), device);
  const temporary_array<std::int32_t> entries_of_piece(static_cast<std::size_t>(pieces), device);
  const temporary_array<std::int32_t> of_row(static_cast<std::size_t>(a.rows), device);
  fill(of_row, a.rows, 0);
  list_pieces<<<exec::blocks_for(chunks, chunks_of_block), threads>>>(
      places.row_of_slot.data(), ends.data(), chunk_piece.data(), chunks, row_of_piece.data(),
      entries_of_piece.data(), of_row.data());
  exec::check_launch("cached_x: list pieces");

  // Pieces by row.
  const temporary_array<row_amounts> amounts(static_cast<std::size_t>(a.rows) + 1, device);
  const temporary_array<row_amounts> before(static_cast<std::size_t>(a.rows) + 1, device);
  count_row_amounts<<<blocks_of(a.rows + 1), threads>>>(of_row.data(), a.rows, amounts.data());
  exec::check_launch("cached_x: count row amounts");
  with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(room, bytes, std::as_const(amounts).data(), before.data(),
                                          add_amounts{}, row_amounts{}, a.rows + 1);
  });
  const temporary_array<std::int32_t> longest(1, device);
  with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
    return cub::DeviceReduce::Max(room, bytes, std::as_const(of_row).data(), longest.data(), a.rows);
  });
  const temporary_array<std::int32_t> sorted_row(static_cast<std::size_t>(pieces), device);
  const temporary_array<std::int32_t> sorted_piece(static_cast<std::size_t>(pieces), device);
  {
    const temporary_array<std::int32_t> number(static_cast<std::size_t>(pieces), device);
    iota<<<blocks_of(pieces), threads>>>(pieces, number.data());
    exec::check_launch("cached_x: number pieces");
    with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(room, bytes, std::as_const(row_of_piece).data(),
                                             sorted_row.data(), std::as_const(number).data(),
                                             sorted_piece.data(), pieces, 0, bits_for(a.rows));
    });
  }
  const row_amounts all = fetch(before.data() + a.rows);
  const std::int32_t most_pieces = fetch(longest.data());
  std::optional<complete_value_table<V>> table;
  if (how.encodes) table.emplace(a.val, device);
  const bool encodes = table && table->size() > 0;

  cached_x_storage<V, exec::device_buffer> s;
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = nnz,
            .columns = o.columns,
            .width = has_panels ? how.cached : 1,
            .panels = places.panels,
            .frequent = places.frequent_columns,
            .chunks = chunks,
            .segment = segment,
            .empty_rows = all.empty,
            .striped = true,
            .values = !encodes             ? cached_x_values::full
                      : table->size() == 1 ? cached_x_values::constant
                                           : cached_x_values::table,
            .table_size = encodes && table->size() > 1 ? table->size() : 0,
            .carries = {.longest = most_pieces > 1 ? most_pieces : 0, .slots = all.sums, .apart = true}};
  exec::device_arena together;
  together.add(s.panel_chunk, has_panels ? places.panels + 1 : 0);
  together.add(s.frequent, places.frequent_columns);
  together.add(s.column, has_panels ? slots : 0);
  together.add(s.wide_column, has_panels ? 0 : slots);
  together.add(s.val, encodes ? table->size() : slots);
  together.add(s.code, s.meta.values == cached_x_values::table ? slots : 0);
  together.add(s.ends, chunks * cached_x_lanes);
  together.add(s.chunk_piece, chunks + 1);
  together.add(s.target, pieces);
  together.add(s.piece_entry, how.replaces && has_panels ? pieces : 0);
  together.add(s.entry, places.in_order ? 0 : slots);
  together.add(s.empty_row, all.empty);
  together.add(s.carries.row, all.runs);
  together.add(s.carries.first, all.runs);
  together.add(s.carries.last, all.runs);
  together.allocate(device);

  const auto copy = [](auto& to, const auto* from) {
    if (!to.empty())
      exec::copy_async(to.data(), from, to.size() * sizeof(*from), exec::copy_kind::device_to_device, {});
  };
  copy(s.panel_chunk, places.panel_chunk.data());
  copy(s.frequent, places.frequent.data());
  copy(s.ends, ends.data());
  copy(s.chunk_piece, chunk_piece.data());
  const entries_of_slots<O> of = places.entries();
  if (has_panels)
    write_columns<O><<<blocks_of(slots), threads>>>(of, slots, a.col.data(), how.cached, s.column.data());
  else
    write_wide_columns<<<blocks_of(slots), threads>>>(a.col.data(), places.code.data(), nnz, slots,
                                                      s.wide_column.data());
  exec::check_launch("cached_x: write columns");
  if (encodes) copy(s.val, table->get()->values);
  if (!encodes)
    write_values<V, O><<<blocks_of(slots), threads>>>(of, slots, a.val.data(), s.val.data());
  else if (!s.code.empty())
    write_codes<V, O><<<blocks_of(slots), threads>>>(of, slots, a.val.data(), table->get(), s.code.data());
  exec::check_launch("cached_x: write values");
  if (!places.in_order) {
    write_entries<O><<<blocks_of(slots), threads>>>(of, slots, a.row_ptr.data(), s.entry.data());
    exec::check_launch("cached_x: write entries");
  }
  list_empty_rows_and_carries<<<blocks_of(a.rows), threads>>>(of_row.data(), before.data(), a.rows,
                                                              s.empty_row.data(), s.carries.row.data(),
                                                              s.carries.first.data(), s.carries.last.data());
  exec::check_launch("cached_x: list rows");
  set_targets<<<blocks_of(pieces), threads>>>(sorted_row.data(), sorted_piece.data(), pieces, before.data(),
                                              of_row.data(), s.target.data());
  exec::check_launch("cached_x: set targets");
  if (!s.piece_entry.empty()) {
    const temporary_array<std::int64_t> entries(static_cast<std::size_t>(pieces), device);
    const temporary_array<std::int64_t> earlier(static_cast<std::size_t>(pieces), device);
    gather<<<blocks_of(pieces), threads>>>(entries_of_piece.data(), sorted_piece.data(), pieces,
                                           entries.data());
    exec::check_launch("cached_x: gather");
    with_cub_scratch(device, [&](void* room, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(room, bytes, std::as_const(entries).data(), earlier.data(),
                                           pieces);
    });
    set_piece_entries<O><<<blocks_of(pieces), threads>>>(sorted_row.data(), sorted_piece.data(),
                                                         earlier.data(), pieces, a.row_ptr.data(),
                                                         s.piece_entry.data());
    exec::check_launch("cached_x: set piece entries");
  }
  exec::synchronize({});
  return s;
}

#define GOSSAMER_BUILD_INSTANCE(S, O)                                                                   \
  template std::optional<cached_x_storage<matrix_t<S>, exec::device_buffer>> cached_x::build_on_device( \
      const csr_view<matrix_t<S>, O, device_space>&, const row_statistics&, const options&,             \
      const exec::target&);
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_BUILD_INSTANCE, std::int32_t)
GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_BUILD_INSTANCE, std::int64_t)
#undef GOSSAMER_BUILD_INSTANCE

}  // namespace gossamer::inline v0::formats
