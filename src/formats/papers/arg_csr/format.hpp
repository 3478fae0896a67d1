// SPDX-License-Identifier: BSD-3-Clause
// Adaptive row-grouped CSR: groups of rows, whose rows are cut into chunks of one size, a thread each.
#pragma once

#include <algorithm>
#include <array>

#include "formats/common/equal_cuts.hpp"
#include "formats/common/row_groups.hpp"
#include "formats/papers/arg_csr/grouping.hpp"

namespace gossamer::inline v0::formats {

struct arg_csr_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t slots = 0;
  std::int64_t groups = 0;
  std::int64_t block = 0;  ///< threads of a group
};

template <class V>
struct arg_csr_pointers {
  arg_csr_meta meta;
  const arg_csr_group* group;
  const std::int32_t* thread_mapping;
  const std::int32_t* col;
  const V* val;

  /// Work before a group, in slots and rows: what units are cut by.
  [[nodiscard]] constexpr std::int64_t weight_before(std::int64_t g) const {
    return group[g].offset + group[g].first_row;
  }
  [[nodiscard]] constexpr std::int64_t weight() const { return meta.slots + meta.rows; }
};

template <class T, template <class> class Buffer>
struct arg_csr_storage {
  arg_csr_meta meta;
  Buffer<arg_csr_group> group;
  Buffer<std::int32_t> thread_mapping;  ///< rows: threads of the group's rows up to and with this one
  Buffer<std::int32_t> col;             ///< slots: -1 in padding, which ends a chunk
  Buffer<T> val;                        ///< slots

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("group", self.group);
    f("thread_mapping", self.thread_mapping);
    f("col", self.col);
    f("val", self.val);
  }

  [[nodiscard]] arg_csr_pointers<T> view() const {
    return {.meta = meta,
            .group = group.data(),
            .thread_mapping = thread_mapping.data(),
            .col = col.data(),
            .val = val.data()};
  }
};

struct arg_csr : stored_as<arg_csr_storage, arg_csr_pointers> {
  static constexpr std::string_view name = "arg_csr";
  static constexpr std::string_view source = "paper 003, sections 3 and 4";
  static constexpr std::string_view help =
      "groups of rows, whose entries are cut into chunks of equal size, one for a thread";

  static constexpr std::int64_t most_threads = 1024;

  struct options {
    std::int64_t desired_chunk_size = 0;
    std::int64_t block = 128;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "desired_chunk_size",
                     .help = "a group ends when its entries per thread exceed this number",
                     .min = 1,
                     .max = 65536,
                     .has_auto = true},
        self.desired_chunk_size);
      f(number_field{.name = "block",
                     .help = "threads of a group, which has at most as many rows; a multiple of 32",
                     .min = 32,
                     .max = most_threads},
        self.block);
      f(max_padding_field(1000000), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target&) {
    const arg_csr_groups groups = make_arg_csr_groups(a, limits(o));
    const auto other = static_cast<std::int64_t>(groups.group.size() * sizeof(arg_csr_group)) +
                       s.rows * static_cast<std::int64_t>(sizeof(std::int32_t));
    return footprint_of_slots<V>(static_cast<long double>(groups.columns) * static_cast<long double>(o.block),
                                 other, s, o.max_padding);
  }
  static device_work gpu_work(const row_statistics& s, const options& o) {
    return {.kernel = hopper::arg_csr,
            .longest_steps = static_cast<double>(s.max) / static_cast<double>(o.block),
            .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target&, const machine& m) {
    const double groups = static_cast<double>(s.rows) / static_cast<double>(o.block) +
                          static_cast<double>(s.nnz) / static_cast<double>(limits(o).entries);
    const double matrix = expected_slots(s, o) * (sizeof(V) + sizeof(std::int32_t)) +
                          groups * sizeof(arg_csr_group) + static_cast<double>(s.rows) * sizeof(std::int32_t);
    return one_pass<V>(matrix, s, m);
  }

  template <class T, offset O>
  static arg_csr_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                               const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const arg_csr_storage<V, host_buffer>& stored) {
    const std::int64_t block = stored.meta.block;
    return csr_of_slots<V>(stored, [&](auto&& piece) {
      for (const arg_csr_group& g : stored.group.span()) {
        std::int64_t chunk = 0;
        for (std::int64_t i = g.first_row; i < g.first_row + g.rows; ++i) {
          for (; chunk < stored.thread_mapping.data()[i]; ++chunk)
            piece(i, g.offset + chunk, g.offset + g.chunk_size * block, block);
        }
      }
    });
  }

  template <scalar_types S>
  static cpu_passes<arg_csr_pointers<matrix_t<S>>, S> passes(const arg_csr_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const arg_csr_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);

  static constexpr arg_csr_limits limits(const options& o) {
    return {.entries = o.desired_chunk_size * o.block, .rows = o.block};
  }
  /// Slots that rows of such statistics will about take.
  static double expected_slots(const row_statistics& s, const options& o);
};

namespace detail {

/// Columns [first, last) of a group.
template <class T, offset O>
void fill_arg_csr_columns(const csr_view<T, O>& a, const arg_csr_group& g, std::int64_t block,
                          std::int64_t first, std::int64_t last, std::int32_t* col, T* val) {
  std::array<std::int64_t, arg_csr::most_threads> begin;
  std::array<std::int64_t, arg_csr::most_threads> length;
  std::size_t chunk = 0;
  const O* row_ptr = a.row_ptr.data() + g.first_row;
  for (std::int64_t r = 0; r < g.rows; ++r) {
    auto k = static_cast<std::int64_t>(row_ptr[r]);
    const auto row_end = static_cast<std::int64_t>(row_ptr[r + 1]);
    do {
      begin[chunk] = k;
      length[chunk] = std::min(row_end - k, g.chunk_size);
      k += length[chunk++];
    } while (k < row_end);
  }
  for (; chunk < static_cast<std::size_t>(block); ++chunk) begin[chunk] = length[chunk] = 0;
  for (std::int64_t t = 0; t < block; t += group_lanes)
    fill_lanes(a, begin.data() + t, length.data() + t, std::min(group_lanes, block - t), first, last, block,
               col + g.offset + t, val + g.offset + t);
}

}  // namespace detail

template <class T, offset O>
arg_csr_storage<T, host_buffer> arg_csr::build(const csr_view<T, O>& a, const options& o,
                                               const exec::target&) {
  arg_csr_storage<T, host_buffer> s;
  arg_csr_groups made = make_arg_csr_groups(a, limits(o));
  const std::int64_t block = o.block;
  const auto groups = static_cast<std::int64_t>(made.group.size());
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .slots = made.columns * block,
            .groups = groups,
            .block = block};
  s.group = host_buffer<arg_csr_group>(made.group.size());
  std::copy(made.group.begin(), made.group.end(), s.group.data());
  s.thread_mapping = host_buffer<std::int32_t>(static_cast<std::size_t>(a.rows));
  make_slots(s, s.meta.slots);
  const arg_csr_group* const group = s.group.data();
  core::parallel_for(groups, 64, [&](std::int64_t begin, std::int64_t end) {
    for (const arg_csr_group* g = group + begin; g < group + end; ++g) {
      std::int64_t threads = 0;
      for (std::int64_t i = g->first_row; i < g->first_row + g->rows; ++i) {
        threads += arg_csr_chunks_of_row(
            static_cast<std::int64_t>(a.row_ptr.data()[i + 1] - a.row_ptr.data()[i]), g->chunk_size);
        s.thread_mapping.data()[i] = static_cast<std::int32_t>(threads);
      }
    }
  });
  fill_by_columns(
      groups, block, [&](std::int64_t g) { return g < groups ? group[g].offset / block : made.columns; },
      [&](std::int64_t g, std::int64_t first, std::int64_t last) {
        detail::fill_arg_csr_columns(a, group[g], block, first, last, s.col.data(), s.val.data());
      });
  return s;
}

}  // namespace gossamer::inline v0::formats
