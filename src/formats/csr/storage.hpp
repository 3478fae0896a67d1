// SPDX-License-Identifier: BSD-3-Clause
// What CSR stores: the caller's own arrays, and where they are cut into units.
#pragma once

#include <cstdint>

#include "exec/reduction/carries.hpp"
#include "formats/common/csr_units.hpp"

namespace gossamer::inline v0::formats {

enum class csr_kernel : std::int32_t { automatic, thread, warp, half_warp, adaptive, balanced };

struct csr_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  csr_kernel kernel = csr_kernel::automatic;
  std::int32_t threads_per_row = 1;  ///< cuda, adaptive
  std::int32_t rows_per_group = 1;   ///< cuda, adaptive
  std::int64_t units = 0;            ///< where the kernel is cut in advance, else 0
  std::int32_t tile_items = 0;       ///< cuda, balanced
  csr_reading reading;               ///< cpu
  exec::carry_counts carries;
};

template <class V, offset O>
struct csr_pointers {
  csr_meta meta;
  const O* row_ptr;
  const std::int32_t* col;
  const V* val;
  const std::int32_t* cut_row;
  const std::int64_t* cut_entry;
  const std::int64_t* unit_cost;  ///< or null
  exec::carry_view carries;
};

template <class T, offset O, template <class> class Buffer>
struct csr_storage {
  csr_meta meta;
  Buffer<O> row_ptr;
  Buffer<std::int32_t> col;
  Buffer<T> val;
  Buffer<std::int32_t> cut_row;    ///< units + 1; see cut_equally() and, on cuda, cut_between_rows()
  Buffer<std::int64_t> cut_entry;  ///< balanced: units + 1; see cut_entries()
  Buffer<std::int64_t> unit_cost;  ///< cpu: units + 1, or none; see unit_costs()
  exec::carry_list<Buffer> carries;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("row_ptr", self.row_ptr);
    f("col", self.col);
    f("val", self.val);
    f("cut_row", self.cut_row);
    f("cut_entry", self.cut_entry);
    f("unit_cost", self.unit_cost);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] csr_pointers<T, O> view() const {
    return {.meta = meta,
            .row_ptr = row_ptr.data(),
            .col = col.data(),
            .val = val.data(),
            .cut_row = cut_row.data(),
            .cut_entry = cut_entry.data(),
            .unit_cost = unit_cost.empty() ? nullptr : unit_cost.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

}  // namespace gossamer::inline v0::formats
