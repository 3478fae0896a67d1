// SPDX-License-Identifier: BSD-3-Clause
// Rows that several units of work share. Each unit leaves its partial sums in slots of its own; a row's slots
// stand side by side, and are added in a fixed order whatever unit finished first: this is what makes results
// reproducible.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "exec/pack_products.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::exec {

/// Slots that a unit has where units follow each other through the rows: its first row and its last row.
inline constexpr std::int64_t slots_per_unit = 2;

/// What kernels and combine() see: run r is row[r], the sum of slots first[r] ... last[r] - 1.
struct carry_view {
  const std::int32_t* row = nullptr;
  const std::int64_t* first = nullptr;
  const std::int64_t* last = nullptr;
  const std::int32_t* run_at_cut =
      nullptr;  ///< units + 1: the run of the row across the cut before unit u, or -1
  std::int64_t runs = 0;
  std::int64_t longest = 0;  ///< the most slots in one run
  std::int64_t slots = 0;    ///< of all units
  bool apart = false;        ///< cuda: a kernel of its own adds the slots, after the one that fills them
};

/// The stored form: arrays in host or device memory. `longest` and `slots` stand in the format's meta.
template <template <class> class Buffer>
struct carry_list {
  Buffer<std::int32_t> row;
  Buffer<std::int64_t> first;
  Buffer<std::int64_t> last;
  Buffer<std::int32_t> run_at_cut;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("carry_row", self.row);
    f("carry_first", self.first);
    f("carry_last", self.last);
    f("carry_run_at_cut", self.run_at_cut);
  }
};

struct carry_counts {
  std::int64_t longest = 0;
  std::int64_t slots = 0;
  bool apart = false;
  friend constexpr bool operator==(const carry_counts&, const carry_counts&) = default;
};

/// On a device: a block that arrives at a shared row stays for about 1.5 microseconds, and a further kernel
/// takes as long once. (Measured when that kernel began after the first had ended; it begins earlier now, so
/// the bound may be too high.) With a few units for each place of the device, and most of them sharing rows,
/// the kernel is the cheaper one.
constexpr bool combine_apart(std::int64_t units, std::int64_t shared_cuts) noexcept {
  return units > 1600 && shared_cuts > units / 4;
}

template <template <class> class Buffer>
carry_view view_of(const carry_list<Buffer>& list, const carry_counts& counts) {
  return {.row = list.row.data(),
          .first = list.first.data(),
          .last = list.last.data(),
          .run_at_cut = list.run_at_cut.data(),
          .runs = static_cast<std::int64_t>(list.row.size()),
          .longest = counts.longest,
          .slots = counts.slots,
          .apart = counts.apart};
}

/// For `units` consecutive units. row_across(u) is the row that has entries on both sides of the cut before
/// unit u (1 <= u < units), or -1. The partial sum before the cut is in slot 2u - 1, the one after it in slot
/// 2u; a unit that lies inside one row writes its sum to its first slot and 0 to its second, so that a run
/// has no holes.
template <class RowAcross>
carry_list<host_buffer> list_carries(std::int64_t units, RowAcross&& row_across, carry_counts& counts) {
  std::vector<std::int32_t> row;
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> last;
  host_buffer<std::int32_t> run_at_cut(static_cast<std::size_t>(units) + 1);
  run_at_cut[0] = -1;
  run_at_cut[static_cast<std::size_t>(units)] = -1;
  counts = {.longest = 0, .slots = units > 1 ? units * slots_per_unit : 0};
  std::int64_t shared_cuts = 0;
  for (std::int64_t u = 1; u < units; ++u) {
    const std::int32_t across = row_across(u);
    run_at_cut[static_cast<std::size_t>(u)] = -1;
    if (across < 0) continue;
    ++shared_cuts;
    if (row.empty() || row.back() != across) {
      row.push_back(across);
      first.push_back(u * slots_per_unit - 1);
      last.push_back(0);
    }
    last.back() = u * slots_per_unit + 1;
    run_at_cut[static_cast<std::size_t>(u)] = static_cast<std::int32_t>(row.size()) - 1;
    counts.longest = std::max(counts.longest, last.back() - first.back());
  }
  counts.apart = combine_apart(units, shared_cuts);
  carry_list<host_buffer> list{.row = host_buffer<std::int32_t>(row.size()),
                               .first = host_buffer<std::int64_t>(first.size()),
                               .last = host_buffer<std::int64_t>(last.size()),
                               .run_at_cut = std::move(run_at_cut)};
  std::copy(row.begin(), row.end(), list.row.data());
  std::copy(first.begin(), first.end(), list.first.data());
  std::copy(last.begin(), last.end(), list.last.data());
  return list;
}

/// What list_carries() allocates where at most so many cuts of the units lie inside rows.
constexpr std::int64_t carry_bytes_bound(std::int64_t units, std::int64_t shared_cuts) noexcept {
  constexpr auto a_run = static_cast<std::int64_t>(sizeof(std::int32_t) + 2 * sizeof(std::int64_t));
  return shared_cuts * a_run + (units + 1) * static_cast<std::int64_t>(sizeof(std::int32_t));
}

/// Whether a kernel of its own combines, after the one that fills the slots.
GOSSAMER_HOST_DEVICE constexpr bool combines_apart(const carry_view& carries) noexcept {
  return carries.apart && carries.runs > 0;
}

/// Scratch that a product needs, in sums V: the slots, and one 32-bit count of arrivals a run, which a device
/// uses (all zero at first).
template <class V>
std::int64_t scratch_values(const carry_view& carries) noexcept {
  return carries.slots +
         (carries.runs * 4 + static_cast<std::int64_t>(sizeof(V)) - 1) / static_cast<std::int64_t>(sizeof(V));
}

/// Where the units of a product on a device leave their sums of shared rows: scratch of scratch_values().
/// Counts of arrivals are zero before and after a product, slots may have any value.
template <class V>
struct carry_room {
  V* slots = nullptr;

  /// One count for each run. A function, since a pointer would take registers that the kernels lack.
  [[nodiscard]] GOSSAMER_HOST_DEVICE unsigned* arrivals(const carry_view& carries) const {
    return reinterpret_cast<unsigned*>(slots + carries.slots);
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE const carry_room& of_pack(const carry_view&, unsigned) const {
    return *this;
  }
};

/// The same for packs of one width: the slots of each pack, one pack after another, and behind the slots of
/// all columns the counts of each pack. So no pack's slots lie where packs of another width have counts.
template <class T, int K, std::size_t A>
struct carry_room<pack<T, K, A>> {
  pack<T, K, A>* slots = nullptr;
  unsigned* counts = nullptr;

  /// In scratch for `columns` columns, of packs that begin with column `first`.
  static carry_room in(const carry_view& carries, T* scratch, std::int64_t columns, std::int64_t first) {
    return {reinterpret_cast<pack<T, K, A>*>(scratch + first * carries.slots),
            reinterpret_cast<unsigned*>(scratch + columns * carries.slots)};
  }
  [[nodiscard]] GOSSAMER_HOST_DEVICE unsigned* arrivals(const carry_view&) const { return counts; }
  [[nodiscard]] GOSSAMER_HOST_DEVICE carry_room of_pack(const carry_view& carries, unsigned number) const {
    return {slots + number * carries.slots, counts + number * carries.runs};
  }
};

/// Where the parts of a row are added in the kernel that makes them (exec/reduction/warp_reduction.cuh), the
/// counts of two runs are so many counts, 128 bytes, apart: those of one line of a cache are changed one
/// after another.
inline constexpr std::int64_t part_counts_apart = 32;

/// The same for such a kernel.
template <class V>
std::int64_t part_scratch_values(const carry_view& carries) noexcept {
  static_assert(part_counts_apart * 4 % sizeof(V) == 0);
  return carries.slots + carries.runs * part_counts_apart * 4 / static_cast<std::int64_t>(sizeof(V));
}

/// A longer run is added in blocks of so many slots, several at a time, so that one row that all units share
/// does not keep one thread busy while the others wait. A constant: the bits depend on it.
inline constexpr std::int64_t combine_block = 4096;

/// Adds each run's slots, in order, and finishes its row: blocks of combine_block slots from left to right,
/// then their sums from left to right, which stand in the blocks' first slots afterwards. On the CPU, with at
/// most `threads` threads.
template <class S>
void combine(const carry_view& carries, sum_t<S>* slots, const product<S>& p, int threads);

/// The same on the device, asynchronous in `stream`; at most one kernel. Where the runs are not to be
/// combined apart it does nothing, since the kernel that filled the slots did (exec/reduction/carries.cuh).
template <class S>
void combine_on_device(const carry_view& carries, const sum_t<S>* slots, const product<S>& p,
                       cuda_stream stream);
/// By several packs. The slots of one follow those of the one before.
template <class S>
void combine_on_device(const carry_view& carries, const sum_t<S>* slots, const pack_products<S>& all,
                       cuda_stream stream);

}  // namespace gossamer::inline v0::exec
