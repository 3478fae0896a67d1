// SPDX-License-Identifier: BSD-3-Clause
// Blocked row-column: rows in order of length, cut into segments of about one length, a block of segments
// padded to its longest.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "formats/brc/block_width.hpp"
#include "formats/brc/layout.hpp"
#include "formats/brc/storage.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/common/padded_format.hpp"
#include "formats/common/warps_a_row.hpp"

namespace gossamer::inline v0::formats {

struct brc : stored_as<brc_storage, brc_pointers> {
  static constexpr std::string_view name = "brc";
  static constexpr std::string_view source = "paper 000, section 3";
  static constexpr std::string_view help = "rows cut into segments; a block holds segments of similar length";

  static constexpr std::array<option_choice, 4> all_widths{
      option_choice{"fixed", "every segment but a row's last has block_width entries, the paper's way"},
      option_choice{"growing", "block_width entries, then twice as many, and so on"},
      option_choice{"even", "as many segments as fixed has, of equal length up to one entry"},
      option_choice{"by_position",
                    "by Equation 3 of the rows about a row's place in the order, block_width "
                    "entries at least"}};
  static constexpr std::array<option_choice, 2> accumulates{
      option_choice{"ordered", "the segments of a row are left in slots and added in a fixed order"},
      option_choice{"atomic", "atomic additions into y, the paper's way; the bits vary from run to run",
                    device_set::cuda}};

  struct options {
    std::int64_t block_rows = 0;
    std::int64_t block_width = 0;
    brc_widths widths = brc_widths::fixed;
    std::int64_t sort_window = 0;
    brc_accumulate accumulate = brc_accumulate::ordered;
    std::int64_t coarsening = 0;
    std::int64_t threads_per_row = 0;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "block_rows",
                     .help = "B1, the rows of a block; multiples of 32 suit a GPU",
                     .min = 1,
                     .max = 256,
                     .has_auto = true},
        self.block_rows);
      f(
          number_field{
              .name = "block_width",
              .help = "B2, the entries of a row that a block holds at most; published: Equation 3; auto: the "
                      "same, on a GPU in whole batches of eight, or the longest row where that keeps no "
                      "thread long; unbounded: rows stay whole, the paper's blocked row",
              .min = 1,
              .max = 1 << 30,
              .has_auto = true,
              .has_unbounded = true,
              .has_published = true},
          self.block_width);
      f(choice_field{.name = "widths", .help = "how rows are cut into segments", .choices = all_widths},
        self.widths);
      f(number_field{.name = "sort_window",
                     .help = "rows are sorted by length within windows of this many; 1: not at all; auto: "
                             "all rows, the paper's way, but 4096 where block_width = auto cuts many rows "
                             "on a GPU",
                     .min = 1,
                     .max = std::numeric_limits<std::int32_t>::max(),
                     .has_auto = true},
        self.sort_window);
      f(
          choice_field{
              .name = "accumulate", .help = "how the sums of a row are combined", .choices = accumulates},
          self.accumulate);
      f(number_field{.name = "coarsening",
                     .help = "items that a thread multiplies, one after the other; a power of two",
                     .min = 1,
                     .max = 8,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.coarsening);
      f(warps_a_row_field("warps that share 32 segments; a power of two; 1 is the paper's"),
        self.threads_per_row);
      f(max_padding_field(100), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);
  static constexpr bool deterministic(const options& o) { return o.accumulate == brc_accumulate::ordered; }

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  static constexpr core_work work(const options&) { return zen4::brc; }
  static device_work gpu_work(const row_statistics& s, const options& o) {
    const auto width = static_cast<double>(o.block_width);
    const auto threads = static_cast<double>(o.threads_per_row);
    return {.kernel = hopper::brc,
            .usual_steps = std::min(usual_length(s), width) / threads,
            .longest_steps = std::min(static_cast<double>(s.max), width) / threads,
            .long_rows = s.max > o.block_width};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target&, const machine& m,
                     const footprint& size) {
    const bool cuts = s.max > o.block_width;
    const bool atomic = o.accumulate == brc_accumulate::atomic;
    // A cut row's sums are written and read once each; a row of n entries has n / block_width of them,
    // or fewer where segments grow or are longer by their place.
    const double segments = cuts ? static_cast<double>(s.nnz) / static_cast<double>(o.block_width) : 0;
    const double y_times = atomic ? 3 : 1;  // scaled, then added to
    const double vectors =
        (static_cast<double>(s.rows) * y_times + static_cast<double>(s.cols) + (atomic ? 0 : 2 * segments)) *
        sizeof(V);
    return roofline(static_cast<double>(size.bytes) + vectors, atomic ? 2 : 1, m);
  }

  template <class T, offset O>
  static brc_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                           const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const brc_storage<V, host_buffer>& stored);

  template <scalar_types S>
  static std::int64_t scratch(const brc_pointers<matrix_t<S>>& a) {
    return a.carries.slots;
  }
  template <scalar_types S>
  static cpu_passes<brc_pointers<matrix_t<S>>, S> passes(const brc_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const brc_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

/// A warp's rows (paper 000, section 3.3); on a CPU four AVX-512 vectors of doubles, so that four gathers are
/// under way.
inline constexpr std::int64_t brc_block_rows = 32;
inline constexpr std::int64_t brc_most_threads = 16;

/// Equation (3) for rows of such lengths.
inline std::int64_t brc_block_width(const row_statistics& s) {
  return brc_block_width(s.mean, s.standard_deviation, s.max);
}

constexpr brc_cut brc_cut_of(const brc::options& o) noexcept {
  return {.widths = o.widths, .width = o.block_width};
}

template <class V, offset O>
footprint brc::measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                       const exec::target& target) {
  const brc_cut cut = brc_cut_of(o);
  const brc_layout l = brc_lay_out(a, cut, o.sort_window, o.block_rows);  // no part of a plan's memory
  const std::vector<std::int64_t> width = brc_block_widths(a, l, cut, o.block_rows);
  const auto blocks = static_cast<std::int64_t>(width.size());
  // A block has at least as many entries as it is wide, so slots <= 256 nnz: far from overflow for entries
  // that fit in memory.
  const std::int64_t slots = std::accumulate(width.begin(), width.end(), std::int64_t{0}) * o.block_rows;
  constexpr auto int32_bytes = static_cast<std::int64_t>(sizeof(std::int32_t));
  constexpr auto int64_bytes = static_cast<std::int64_t>(sizeof(std::int64_t));
  footprint f{.bytes = slots * (static_cast<std::int64_t>(sizeof(V)) + int32_bytes) +
                       blocks * (o.block_rows + 1) * int32_bytes + (blocks + 1) * int64_bytes};
  if (o.accumulate == brc_accumulate::ordered)
    f.bytes += static_cast<std::int64_t>(l.run_row.size()) * (int32_bytes + 2 * int64_bytes);
  if (target.kind == device_set::cpu)
    f.bytes += (cpu_units(slots + blocks * o.block_rows).units + 1) * int64_bytes;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;
  if (pads_too_much(static_cast<long double>(slots), a.nnz(), o.max_padding))
    f.refusal = message("{} rows in blocks of {}, each padded to its longest segment, {}",
                        {a.rows, o.block_rows, padding_needed(slots, a.nnz(), f.bytes, o.max_padding)});
  else if (std::any_of(width.begin(), width.end(), [&](std::int64_t w) { return w > most; }))
    f.refusal =
        message("segments of a row of {} entries in blocks whose widths have 32 bits, {} bytes in all",
                {s.max, f.bytes});
  else if (o.accumulate == brc_accumulate::ordered && l.slots() > most)
    f.refusal = message("{} segments of cut rows, whose slots have 32-bit numbers, {} bytes in all",
                        {l.slots(), f.bytes});
  return f;
}

/// The slots of each cut row, one row after the other in the order of the queue.
inline exec::carry_list<host_buffer> brc_carries(const brc_layout& l, exec::carry_counts& counts) {
  const std::size_t runs = l.run_row.size();
  counts = {.longest = l.longest_run, .slots = l.slots(), .apart = true};
  exec::carry_list<host_buffer> list{.row = host_buffer<std::int32_t>(runs),
                                     .first = host_buffer<std::int64_t>(runs),
                                     .last = host_buffer<std::int64_t>(runs),
                                     .run_at_cut = {}};
  std::copy_n(l.run_row.begin(), runs, list.row.data());
  std::copy_n(l.run_slot.begin(), runs, list.first.data());
  std::copy_n(l.run_slot.begin() + 1, runs, list.last.data());
  return list;
}

template <class T, offset O>
brc_storage<T, host_buffer> brc::build(const csr_view<T, O>& a, const options& o,
                                       const exec::target& target) {
  const brc_cut cut = brc_cut_of(o);
  const brc_layout l = brc_lay_out(a, cut, o.sort_window, o.block_rows);
  const std::vector<std::int64_t> width = brc_block_widths(a, l, cut, o.block_rows);
  const auto blocks = static_cast<std::int64_t>(width.size());
  const bool ordered = o.accumulate == brc_accumulate::ordered;
  brc_storage<T, host_buffer> s;
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .blocks = blocks,
            .filled_blocks = (l.filled() + o.block_rows - 1) / o.block_rows,
            .block_rows = static_cast<std::int32_t>(o.block_rows),
            .coarsening = static_cast<std::int32_t>(o.coarsening),
            .threads_per_row = static_cast<std::int32_t>(o.threads_per_row),
            .accumulate = o.accumulate};
  if (ordered) s.carries = brc_carries(l, s.meta.carries);
  s.nnz_per_block = host_buffer<std::int32_t>(width.size());
  s.block_offset = offsets_of_blocks(width, o.block_rows);
  const std::int64_t* const block_offset = std::as_const(s.block_offset).data();
  s.meta.slots = block_offset[blocks];
  s.row_perm = host_buffer<std::int32_t>(static_cast<std::size_t>(blocks * o.block_rows));
  make_slots(s, s.meta.slots);

  // Lane r of a block whose segment is row[first ... first + length - 1] of the matrix' entries. Padding
  // repeats the column that the lane before has there, as the paper's does, so that it costs no memory; lane
  // 0 has none before it and repeats its own last one.
  const auto write_lane = [&](std::int64_t block, std::int64_t r, std::int64_t first, std::int64_t length) {
    std::int64_t j = 0;
    for (std::int64_t slot = block_offset[block] + r; slot < block_offset[block + 1];
         slot += o.block_rows, ++j) {
      if (j < length) {
        s.col.data()[slot] = a.col.data()[first + j];
        s.val.data()[slot] = a.val.data()[first + j];
        continue;
      }
      std::int32_t like = length > 0 ? a.col.data()[first + length - 1] : 0;
      if (r > 0) like = s.col.data()[slot - 1];
      s.col.data()[slot] = like < 0 ? like : ~like;
      s.val.data()[slot] = T{};
    }
  };
  const auto fill = [&](std::int64_t first_block, std::int64_t last_block) {
    // A unit without blocks would write the dummies of the last block too, which another has.
    if (first_block == last_block) return;
    for (std::int64_t b = first_block; b < last_block; ++b)
      s.nnz_per_block.data()[b] = static_cast<std::int32_t>(width[static_cast<std::size_t>(b)]);
    const std::int64_t last = std::min(l.items(), last_block * o.block_rows);
    brc_for_each_item(a, l, cut, first_block * o.block_rows, last,
                      [&](std::int64_t q, std::int32_t row, std::int64_t round, const brc_segment& part) {
                        const std::int32_t item = l.item[static_cast<std::size_t>(q)];
                        s.row_perm.data()[q] = row;
                        if (ordered && item < 0)
                          s.row_perm.data()[q] = brc_to_slot(l.run_slot[brc_run_of(item)] + round);
                        write_lane(q / o.block_rows, q % o.block_rows,
                                   static_cast<std::int64_t>(a.row_ptr.data()[row]) + part.first,
                                   part.length);
                      });
    for (std::int64_t q = last; q < last_block * o.block_rows; ++q) {
      s.row_perm.data()[q] = brc_dummy;
      write_lane(q / o.block_rows, q % o.block_rows, 0, 0);
    }
  };
  // Blocks stand in order of width, so that equal numbers of them would give one thread nearly all entries.
  const unit_size cuts = cpu_units(block_offset[blocks] + blocks * o.block_rows);
  auto unit_block = cut_blocks<std::int64_t>(
      blocks, cuts, [&](std::int64_t b) { return block_offset[b] + b * o.block_rows; });
  const std::int64_t* const unit = std::as_const(unit_block).data();
  core::parallel_for(cuts.units, 1,
                     [&](std::int64_t begin, std::int64_t end) { fill(unit[begin], unit[end]); });
  if (target.kind == device_set::cpu) {
    s.meta.units = cuts.units;
    s.unit_block = std::move(unit_block);
  }
  return s;
}

template <value V>
csr_matrix<V, std::int64_t> brc::to_csr(const brc_storage<V, host_buffer>& stored) {
  const brc_meta& m = stored.meta;
  std::vector<std::int32_t> row_of_slot(static_cast<std::size_t>(m.carries.slots));
  for (std::size_t run = 0; run < stored.carries.row.size(); ++run)
    std::fill(row_of_slot.begin() + static_cast<std::ptrdiff_t>(stored.carries.first[run]),
              row_of_slot.begin() + static_cast<std::ptrdiff_t>(stored.carries.last[run]),
              stored.carries.row[run]);
  // A row's segments stand in their order, since the queue is first in, first out.
  return csr_of_slots<V>(stored, [&](auto&& piece) {
    for (std::int64_t q = 0; q < m.blocks * m.block_rows; ++q) {
      const std::int32_t target = stored.row_perm.data()[q];
      if (target == brc_dummy) continue;
      const std::int64_t* const offset = stored.block_offset.data() + q / m.block_rows;
      piece(target >= 0 ? target : row_of_slot[static_cast<std::size_t>(brc_slot_of(target))],
            offset[0] + q % m.block_rows, offset[1], m.block_rows);
    }
  });
}

}  // namespace gossamer::inline v0::formats
