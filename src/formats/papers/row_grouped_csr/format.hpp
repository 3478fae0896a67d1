// SPDX-License-Identifier: BSD-3-Clause
// Row-grouped CSR: groups of consecutive rows, each padded to its own longest row and stored by columns.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "formats/common/equal_cuts.hpp"
#include "formats/common/row_groups.hpp"

namespace gossamer::inline v0::formats {

struct row_grouped_csr_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t slots = 0;
  std::int64_t groups = 0;
  std::int32_t group_rows = 0;
};

/// Slots of a column of a group of that many rows, of which the last group may have few.
constexpr std::int64_t row_grouped_csr_stride(std::int64_t rows_left, std::int64_t group_rows) noexcept {
  return rows_left >= group_rows ? group_rows : (rows_left + group_lanes - 1) / group_lanes * group_lanes;
}

template <class V>
struct row_grouped_csr_pointers {
  row_grouped_csr_meta meta;
  const std::int64_t* group_offset;
  const std::int32_t* col;
  const V* val;

  /// Work before a group, in slots and rows: what units are cut by.
  [[nodiscard]] constexpr std::int64_t weight_before(std::int64_t g) const {
    return group_offset[g] + g * meta.group_rows;
  }
  [[nodiscard]] constexpr std::int64_t weight() const { return meta.slots + meta.rows; }
};

template <class T, template <class> class Buffer>
struct row_grouped_csr_storage {
  row_grouped_csr_meta meta;
  Buffer<std::int64_t>
      group_offset;          ///< groups + 1: slot j of row i is at group_offset[i / R] + j * R + i % R
  Buffer<std::int32_t> col;  ///< slots: -1 in padding, which ends a row
  Buffer<T> val;             ///< slots

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("group_offset", self.group_offset);
    f("col", self.col);
    f("val", self.val);
  }

  [[nodiscard]] row_grouped_csr_pointers<T> view() const {
    return {.meta = meta, .group_offset = group_offset.data(), .col = col.data(), .val = val.data()};
  }
};

struct row_grouped_csr : stored_as<row_grouped_csr_storage, row_grouped_csr_pointers> {
  static constexpr std::string_view name = "row_grouped_csr";
  static constexpr std::string_view source = "Oberhuber, Suzuki and Vacata 2011, paper 003's predecessor";
  static constexpr std::string_view help = "groups of 32 to 1024 rows, each padded to its longest row";

  struct options {
    std::int64_t group_rows = 128;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(
          number_field{
              .name = "group_rows", .help = "rows of a group; a multiple of 32", .min = 32, .max = 1024},
          self.group_rows);
      f(max_padding_field(1000000), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics&, const exec::target&);
  static std::vector<options> candidates(const row_statistics&, const exec::target&);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target&) {
    const std::vector<std::int64_t> width = longest_of_groups(a, nullptr, o.group_rows);
    const auto count = static_cast<std::int64_t>(width.size());
    long double slots = 0;
    for (std::int64_t g = 0; g < count; ++g)
      slots += static_cast<long double>(width[g]) *
               static_cast<long double>(row_grouped_csr_stride(a.rows - g * o.group_rows, o.group_rows));
    return footprint_of_slots<V>(slots, (count + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)), s,
                                 o.max_padding);
  }
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::row_grouped_csr,
            .usual_steps = usual_length(s),
            .longest_steps = static_cast<double>(s.max),
            .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target&, const machine& m) {
    const double matrix = expected_slots(s, o) * (sizeof(V) + sizeof(std::int32_t)) +
                          static_cast<double>(groups(s.rows, o) + 1) * sizeof(std::int64_t);
    return one_pass<V>(matrix, s, m);
  }

  template <class T, offset O>
  static row_grouped_csr_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                       const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const row_grouped_csr_storage<V, host_buffer>& stored) {
    const row_grouped_csr_meta& m = stored.meta;
    return csr_of_slots<V>(stored, [&](auto&& piece) {
      for (std::int64_t i = 0; i < m.rows; ++i) {
        const std::int64_t g = i / m.group_rows;
        piece(i, stored.group_offset.data()[g] + i % m.group_rows, stored.group_offset.data()[g + 1],
              row_grouped_csr_stride(m.rows - g * m.group_rows, m.group_rows));
      }
    });
  }

  template <scalar_types S>
  static cpu_passes<row_grouped_csr_pointers<matrix_t<S>>, S> passes(
      const row_grouped_csr_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const row_grouped_csr_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);

  static constexpr std::int64_t groups(std::int64_t rows, const options& o) {
    return (rows + o.group_rows - 1) / o.group_rows;
  }
  /// Slots that rows of such statistics will about take.
  static double expected_slots(const row_statistics& s, const options& o);
};

template <class T, offset O>
row_grouped_csr_storage<T, host_buffer> row_grouped_csr::build(const csr_view<T, O>& a, const options& o,
                                                               const exec::target&) {
  row_grouped_csr_storage<T, host_buffer> s;
  const std::vector<std::int64_t> width = longest_of_groups(a, nullptr, o.group_rows);
  const auto count = static_cast<std::int64_t>(width.size());
  const auto stride_of = [&](std::int64_t g) {
    return row_grouped_csr_stride(a.rows - g * o.group_rows, o.group_rows);
  };
  s.group_offset = host_buffer<std::int64_t>(static_cast<std::size_t>(count) + 1);
  std::int64_t* const offset = s.group_offset.data();
  offset[0] = 0;
  for (std::int64_t g = 0; g < count; ++g) offset[g + 1] = offset[g] + width[g] * stride_of(g);
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .slots = offset[count],
            .groups = count,
            .group_rows = static_cast<std::int32_t>(o.group_rows)};
  make_slots(s, s.meta.slots);
  fill_by_columns(
      count, o.group_rows,
      [&](std::int64_t g) {
        return g < count ? offset[g] / o.group_rows : offset[count - 1] / o.group_rows + width[count - 1];
      },
      [&](std::int64_t g, std::int64_t first, std::int64_t last) {
        const std::int64_t stride = stride_of(g);
        for (std::int64_t r = 0; r < stride; r += group_lanes) {
          std::array<std::int64_t, group_lanes> start{};
          std::array<std::int64_t, group_lanes> length{};
          const std::int64_t row = g * o.group_rows + r;
          for (std::int64_t i = row; i < std::min(a.rows, row + group_lanes); ++i) {
            const auto lane = static_cast<std::size_t>(i - row);
            start[lane] = static_cast<std::int64_t>(a.row_ptr.data()[i]);
            length[lane] = static_cast<std::int64_t>(a.row_ptr.data()[i + 1]) - start[lane];
          }
          fill_lanes(a, start.data(), length.data(), group_lanes, first, last, stride,
                     s.col.data() + offset[g] + r, s.val.data() + offset[g] + r);
        }
      });
  return s;
}

}  // namespace gossamer::inline v0::formats
