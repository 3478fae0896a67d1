// SPDX-License-Identifier: BSD-3-Clause
// ELLPACK: every row padded to the longest, stored by columns of the padded table.
#pragma once

#include "core/parallel.hpp"
#include "formats/common/padded_format.hpp"

namespace gossamer::inline v0::formats {

struct ellpack_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t width = 0;   ///< the longest row
  std::int64_t stride = 0;  ///< rows, rounded up: slot (i, j) is at j * stride + i
};

template <class V>
struct ellpack_pointers {
  ellpack_meta meta;
  const std::int32_t* col;  ///< -1 in padding
  const V* val;
};

template <class T, template <class> class Buffer>
struct ellpack_storage {
  ellpack_meta meta;
  Buffer<std::int32_t> col;
  Buffer<T> val;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("col", self.col);
    f("val", self.val);
  }

  [[nodiscard]] ellpack_pointers<T> view() const {
    return {.meta = meta, .col = col.data(), .val = val.data()};
  }
};

/// Rows are rounded up so that every column of the table begins on a 128-byte line, for f32 and f64 values.
inline constexpr std::int64_t ellpack_row_multiple = 32;
inline constexpr std::int64_t ellpack_units_together = 16;  ///< cpu; of so many rows each

constexpr std::int64_t ellpack_stride(std::int64_t rows) {
  return (rows + ellpack_row_multiple - 1) / ellpack_row_multiple * ellpack_row_multiple;
}

struct ellpack : stored_as<ellpack_storage, ellpack_pointers> {
  static constexpr std::string_view name = "ellpack";
  static constexpr std::string_view source = "paper 002, section 2.3; paper 000, section 2.3";
  static constexpr std::string_view help =
      "all rows padded to the longest, stored by columns; for rows of equal length";

  using options = padding_options<1000000>;

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics&, const exec::target&) { return {options{}}; }

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>&, const row_statistics& s, const options& o,
                           const exec::target&) {
    return measure_padded_table<V>(s, ellpack_stride(s.rows), s.max, 0, o.max_padding);
  }
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::ellpack,
            .usual_steps = usual_length(s),
            .longest_steps = static_cast<double>(s.max)};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m) {
    const double slots = static_cast<double>(ellpack_stride(s.rows)) * static_cast<double>(s.max);
    return one_pass<V>(slots * (sizeof(V) + sizeof(std::int32_t)), s, m);
  }

  template <class T, offset O>
  static ellpack_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                               const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const ellpack_storage<V, host_buffer>& stored) {
    const ellpack_meta& m = stored.meta;
    return csr_of_slots<V>(stored, [&](auto&& piece) {
      for (std::int64_t i = 0; i < m.rows; ++i) piece(i, i, m.width * m.stride, m.stride);
    });
  }

  template <scalar_types S>
  static cpu_passes<ellpack_pointers<matrix_t<S>>, S> passes(const ellpack_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const ellpack_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

template <class T, offset O>
ellpack_storage<T, host_buffer> ellpack::build(const csr_view<T, O>& a, const options&, const exec::target&) {
  ellpack_storage<T, host_buffer> s;
  const std::int64_t width = measure_rows(a).max;
  const std::int64_t stride = ellpack_stride(a.rows);
  s.meta = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .width = width, .stride = stride};
  make_slots(s, stride * width);
  // Blocks of rows, so that a thread writes whole lines of each column of the table.
  core::parallel_for(stride / ellpack_row_multiple, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * ellpack_row_multiple; i < end * ellpack_row_multiple; ++i) {
      const core::range row = entries_of_row(a, i);
      for (std::int64_t j = 0; j < width; ++j) write_slot(s, j * stride + i, a, row, j);
    }
  });
  return s;
}

}  // namespace gossamer::inline v0::formats
