// SPDX-License-Identifier: BSD-3-Clause
// Square blocks along the main diagonal in one format, dia, and the rest of the matrix in another:
// pattern_csr on a CPU, csr on a GPU.
#pragma once

#include <atomic>
#include <type_traits>

#include "core/diagonal_block.hpp"
#include "formats/common/padded_format.hpp"
#include "formats/common/parts.hpp"
#include "formats/common/row_order.hpp"
#include "formats/contract/format.hpp"
#include "formats/csr/format.hpp"
#include "formats/dia/format.hpp"
#include "formats/pattern_csr/format.hpp"

namespace gossamer::inline v0::formats {

struct diag_blocks_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t block = 0;   ///< rows, and columns, of a block
  std::int64_t inside = 0;  ///< entries in blocks
  bool on_cpu = true;

  [[nodiscard]] constexpr bool has_blocks() const { return inside > 0; }
  /// Where there are no blocks, everything is in the rest, even nothing.
  [[nodiscard]] constexpr bool has_rest() const { return inside < nnz || nnz == 0; }
  [[nodiscard]] constexpr bool is_split() const { return has_blocks() && has_rest(); }
};

template <class V, offset O>
struct diag_blocks_pointers {
  diag_blocks_meta meta;
  dia_pointers<V> blocks;
  pattern_csr_pointers<V, O> cpu_rest;
  csr_pointers<V, O> gpu_rest;
};

enum class diag_blocks_place { blocks, rest };

/// See formats/common/parts.hpp.
template <class Whole, class F>
void for_each_part(const diag_blocks_meta& m, F&& f) {
  if (m.has_blocks()) f(std::type_identity<dia>{}, diag_blocks_place::blocks, &Whole::blocks);
  if (!m.has_rest()) return;
  if (m.on_cpu)
    f(std::type_identity<pattern_csr>{}, diag_blocks_place::rest, &Whole::cpu_rest);
  else
    f(std::type_identity<csr>{}, diag_blocks_place::rest, &Whole::gpu_rest);
}

template <class T, offset O, template <class> class Buffer>
struct diag_blocks_storage {
  diag_blocks_meta meta;
  dia_storage<T, Buffer> blocks;
  pattern_csr_storage<T, O, Buffer> cpu_rest;
  csr_storage<T, O, Buffer> gpu_rest;

  /// Those of the parts that are there, as blocks_offset, rest_row_ptr and so on.
  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    for_each_part<diag_blocks_storage>(self.meta, [&](auto, diag_blocks_place place, auto member) {
      arrays_of_part(place == diag_blocks_place::blocks ? "blocks_" : "rest_", self.*member, f);
    });
  }

  template <class From, class To, class F>
  static void parts(const From& from, To& to, F&& f) {
    f(from.blocks, to.blocks);
    f(from.cpu_rest, to.cpu_rest);
    f(from.gpu_rest, to.gpu_rest);
  }

  [[nodiscard]] diag_blocks_pointers<T, O> view() const {
    return {.meta = meta, .blocks = blocks.view(), .cpu_rest = cpu_rest.view(), .gpu_rest = gpu_rest.view()};
  }
};

/// The footprint, and the number of entries in blocks.
struct diag_blocks_footprint : footprint {
  std::int64_t inside = 0;
};

struct diag_blocks {
  static constexpr std::string_view name = "diag_blocks";
  static constexpr std::string_view source = "paper 004, Algorithm 4";
  static constexpr std::string_view help =
      "square blocks on the main diagonal, stored by diagonals; the rest as csr";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{.order = false};

  struct options {
    std::int64_t block = 32;
    std::int64_t max_padding = 10;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "block",
                     .help = "rows and columns of a block on the diagonal",
                     .min = 1,
                     .max = most_block_rows},
        self.block);
      f(max_padding_field(100), self.max_padding);
    }
  };

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static diag_blocks_footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                       const exec::target& target);
  template <class V, offset O>
  static diag_blocks_footprint least(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                     const exec::target& target);
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::diag_blocks, .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m,
                     const diag_blocks_footprint& size) {
    const bool split = size.inside > 0 && size.inside < s.nnz;
    // The rest reads and writes y again.
    const auto vectors = static_cast<double>(s.rows + s.cols + (split ? 2 * s.rows : 0)) * sizeof(V);
    return roofline(static_cast<double>(size.bytes) + vectors, split ? 2 : 1, m);
  }

  template <class T, offset O, template <class> class Buffer>
  using storage = diag_blocks_storage<T, O, Buffer>;

  template <class T, offset O>
  static diag_blocks_storage<T, O, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                      const exec::target& target);
  template <value V, offset O>
  static csr_matrix<V, std::int64_t> to_csr(const diag_blocks_storage<V, O, host_buffer>& stored) {
    return parts_to_csr<V>(stored);
  }

  template <class Stored>
  static std::int64_t duplicated_columns(const Stored& stored) {
    return formats::duplicated_columns<pattern_csr>(stored.cpu_rest);
  }
  template <class Stored>
  static std::int64_t duplicated_values(const Stored& stored) {
    return count_duplicated_values<pattern_csr>(stored.cpu_rest);
  }
  template <scalar_types S, offset O>
  static std::int64_t scratch(const diag_blocks_pointers<matrix_t<S>, O>& a) {
    return scratch_of_parts<S>(a);
  }
  template <scalar_types S, offset O>
  static cpu_passes<diag_blocks_pointers<matrix_t<S>, O>, S> passes(
      const diag_blocks_pointers<matrix_t<S>, O>&, isa);
  template <scalar_types S, offset O>
  static void launch(const diag_blocks_pointers<matrix_t<S>, O>&, const product<S>&, sum_t<S>*, cuda_stream);
};

/// Entries of row i in its block.
template <class V, offset O>
std::int64_t entries_in_block(const csr_view<V, O>& a, std::int64_t block, std::int64_t i) {
  const diagonal_block here(i, block);
  std::int64_t inside = 0;
  for (auto k = static_cast<std::int64_t>(a.row_ptr.data()[i]); k < a.row_ptr.data()[i + 1]; ++k)
    inside += here.has_column(a.col.data()[k]) ? 1 : 0;
  return inside;
}

template <class V, offset O>
diag_blocks_meta measure_blocks(const csr_view<V, O>& a, std::int64_t block, const exec::target& target) {
  std::atomic<std::int64_t> inside{0};
  for_rows_by_entries(a, [&](std::int64_t first, std::int64_t last) {
    std::int64_t here = 0;
    for (std::int64_t i = first; i < last; ++i) here += entries_in_block(a, block, i);
    inside += here;
  });
  return {.rows = a.rows,
          .cols = a.cols,
          .nnz = a.nnz(),
          .block = block,
          .inside = inside,
          .on_cpu = target.kind == device_set::cpu};
}

/// The entries in blocks, or the others. A row's stay in their order.
template <template <class> class Buffer = host_buffer, class T, offset O>
csr_part<T, O, Buffer> diag_blocks_piece(const csr_view<T, O>& a, std::int64_t block,
                                         diag_blocks_place place) {
  const bool inside = place == diag_blocks_place::blocks;
  return chosen_entries<Buffer>(
      a,
      [&](std::int64_t i) {
        const std::int64_t in_block = entries_in_block(a, block, i);
        return inside ? in_block : row_length(a, i) - in_block;
      },
      [&](std::int64_t i, std::int64_t k) {
        return diagonal_block(i, block).has_column(a.col.data()[k]) == inside;
      });
}

template <class V, offset O>
diag_blocks_footprint diag_blocks::measure(const csr_view<V, O>& a, const row_statistics&, const options& o,
                                           const exec::target& target) {
  const diag_blocks_meta m = measure_blocks(a, o.block, target);
  diag_blocks_footprint whole;
  for_each_part<diag_blocks_pointers<V, O>>(
      m, [&]<class Part>(std::type_identity<Part>, diag_blocks_place place, auto) {
        const auto add = [&](const csr_view<V, O>& part) {
          const row_statistics s = measure_rows(part);
          add_part(whole, place == diag_blocks_place::blocks ? "blocks" : "rest",
                   Part::measure(part, s, options_of_part<Part>(o, s, target), target));
        };
        if (m.is_split())
          add(diag_blocks_piece<measured_buffer>(without_values(a), o.block, place).view());
        else
          add(a);
      });
  whole.inside = m.inside;
  return whole;
}

/// The blocks' diagonals from the first row to the last, and the other entries with a column each.
template <class V, offset O>
diag_blocks_footprint diag_blocks::least(const csr_view<V, O>& a, const row_statistics&, const options& o,
                                         const exec::target&) {
  std::int64_t samples = 0;
  std::int64_t outside = 0;
  const auto in_block = [&](std::int64_t row, std::int64_t col) {
    const bool is = diagonal_block(row, o.block).has_column(col);
    ++samples;
    outside += is ? 0 : 1;
    return is;
  };
  const std::int64_t diagonals = sampled_diagonals(a, in_block);
  diag_blocks_footprint f;
  f.exact = false;
  if (samples == 0) return f;
  const double rest =
      static_cast<double>(a.nnz()) *
      std::max(0.0, static_cast<double>(outside) / static_cast<double>(samples) - sampling_error);
  const std::int64_t in_blocks =
      diagonals * dia_blocks(a.rows) * dia_block_rows * static_cast<std::int64_t>(sizeof(V));
  f.bytes = in_blocks +
            static_cast<std::int64_t>(rest) * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t));
  return f;
}

template <class T, offset O>
diag_blocks_storage<T, O, host_buffer> diag_blocks::build(const csr_view<T, O>& a, const options& o,
                                                          const exec::target& target) {
  diag_blocks_storage<T, O, host_buffer> stored;
  stored.meta = measure_blocks(a, o.block, target);
  for_each_part<diag_blocks_storage<T, O, host_buffer>>(
      stored.meta, [&]<class Part>(std::type_identity<Part>, diag_blocks_place place, auto member) {
        if (!stored.meta.is_split()) {
          stored.*member = Part::build(a, options_of_part<Part>(o, measure_rows(a), target), target);
          return;
        }
        csr_part<T, O> piece = diag_blocks_piece(a, o.block, place);
        const auto part_options = options_of_part<Part>(o, measure_rows(piece.view()), target);
        stored.*member = build_part<Part>(std::move(piece), part_options, target);
      });
  return stored;
}

}  // namespace gossamer::inline v0::formats
