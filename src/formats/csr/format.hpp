// SPDX-License-Identifier: BSD-3-Clause
// Compressed sparse row: the caller's own arrays, and several ways of giving rows to threads.
#pragma once

#include <array>
#include <utility>

#include "exec/cpu/cpu_cache.hpp"
#include "formats/common/device_tile.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/contract/format.hpp"
#include "formats/csr/run_bounds.hpp"
#include "formats/csr/storage.hpp"
#include "formats/csr/unit_cost.hpp"
#include "formats/csr/unit_runs.hpp"
#include "formats/csr/x_reach.hpp"

namespace gossamer::inline v0::formats {

/// What a row costs on a CPU beside its entries, in entries: a row by itself takes some 3 ns, an entry 0.2 to 0.6.
inline constexpr std::int64_t csr_row_weight = 8;

constexpr std::int64_t csr_cpu_weight(std::int64_t rows, std::int64_t nnz) noexcept {
  return csr_row_weight * rows + nnz;
}

struct csr {
  static constexpr std::string_view name = "csr";
  static constexpr std::string_view source =
      "common; warp and half_warp: paper 002 (CSR-R, CSR-O); adaptive: Reguly and Giles 2012, paper 000's "
      "RG12; "
      "balanced: Merrill and Garland 2016";
  static constexpr std::string_view help = "compressed sparse rows, the caller's arrays as they are";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};

  static constexpr std::array<option_choice, 6> kernels{
      option_choice{"auto", "balanced where rows are long, uneven or scattered, else whole rows"},
      option_choice{"thread", "one thread multiplies a row"},
      option_choice{"warp", "32 threads multiply a row", device_set::cuda},
      option_choice{"half_warp", "16 threads multiply a row", device_set::cuda},
      option_choice{"adaptive", "threads_per_row threads multiply rows_per_group rows in turn",
                    device_set::cuda},
      option_choice{"balanced", "equal shares of entries and row ends, rows cut where they must be"}};

  struct options {
    csr_kernel kernel = csr_kernel::automatic;
    std::int64_t threads_per_row = 0;
    std::int64_t rows_per_group = 0;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(choice_field{.name = "kernel", .help = "how rows are given to threads", .choices = kernels},
        self.kernel);
      f(number_field{.name = "threads_per_row",
                     .help = "of kernel = adaptive; a power of two",
                     .min = 1,
                     .max = 32,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.threads_per_row);
      f(number_field{.name = "rows_per_group",
                     .help = "of kernel = adaptive",
                     .min = 1,
                     .max = 64,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.rows_per_group);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  /// Runs of columns, slices and diagonals make most structures' entries cheap; where columns are scattered it has none, but asks for x ahead.
  static constexpr core_work work(const options&) {
    return {.slot_ns = 0.08, .row_ns = 0.3, .jump_ns = 0.6, .pads = false};
  }
  static device_work gpu_work(const row_statistics& s, const options& o);
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m);

  template <class T, offset O, template <class> class Buffer>
  using storage = csr_storage<T, O, Buffer>;

  template <class T, offset O>
  static csr_storage<T, O, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                              const exec::target& target);
  template <value V, offset O>
  static csr_matrix<V, std::int64_t> to_csr(const csr_storage<V, O, host_buffer>& stored);

  /// Columns of rows in slices, which a product reads there.
  template <class Stored>
  static std::int64_t columns_held_twice(const Stored& stored) {
    auto sum = static_cast<std::int64_t>(stored.beside.size());
    for (const csr_run& run : stored.run.span()) {
      if (run.step != in_slices) continue;
      const auto* const row_ptr = stored.row_ptr.span().data();
      sum += static_cast<std::int64_t>(row_ptr[run.last] - row_ptr[run.first]);
    }
    return sum;
  }

  /// Rows in tiles are read from there, and stay in the caller's array too.
  template <class Stored>
  static std::int64_t held_twice(const Stored& stored) {
    return static_cast<std::int64_t>(stored.tiled.size() + stored.beside_val.size());
  }
  template <value V, offset O>
  static std::int64_t scratch(const csr_pointers<V, O>& a) {
    return exec::scratch_values<V>(a.carries);
  }
  template <value V, offset O>
  static cpu_passes<csr_pointers<V, O>, V> passes(const csr_pointers<V, O>& a, isa level);
  template <value V, offset O>
  static void launch(const csr_pointers<V, O>& a, const product<V>& p, V* scratch, cuda_stream stream);
};

template <class T, offset O>
csr_storage<T, O, host_buffer> csr::build(const csr_view<T, O>& a, const options& o,
                                          const exec::target& target) {
  csr_storage<T, O, host_buffer> s;
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .kernel = o.kernel,
            .threads_per_row = static_cast<std::int32_t>(o.threads_per_row),
            .rows_per_group = static_cast<std::int32_t>(o.rows_per_group)};
  s.row_ptr = host_buffer<O>::borrow(a.row_ptr);
  s.col = host_buffer<std::int32_t>::borrow(a.col);
  s.val = host_buffer<T>::borrow(a.val);
  if (target.kind == device_set::cpu) {
    s.meta.x_scattered = is_x_scattered(a);
    const std::int64_t bytes = a.nnz() * static_cast<std::int64_t>(value_bytes<T> + sizeof(std::int32_t));
    s.meta.entries_a_thread = a.nnz() / core::team_size(target.threads);
    s.meta.beyond_cache = are_beyond_cache(bytes, exec::cpu_cache_bytes(target.threads));
    const unit_size cuts = cpu_units(csr_cpu_weight(a.rows, a.nnz()));
    s.meta.units = cuts.units;
    s.cut_row = cut_equally(a, cuts.units, cuts.weight, csr_row_weight);
    const bool cut = o.kernel == csr_kernel::balanced;
    if (cut) s.cut_entry = cut_entries(a, s.cut_row, cuts.weight, csr_row_weight);
    cut_between_nodes(a, s.cut_row, s.cut_entry);
    const std::int32_t* const cut_row = s.cut_row.data();
    csr_runs runs = find_runs_of_units(
        a, cuts.units,
        [&](std::int64_t u) {
          const bool begun = cut && row_across_cut(a, s.cut_row, s.cut_entry, u) >= 0;
          return std::int64_t{cut_row[u]} + (begun ? 1 : 0);
        },
        [&](std::int64_t u) { return std::int64_t{cut_row[u + 1]}; });
    s.tiled = tile_values(a, runs);
    s.beside_val = values_beside(a, runs);
    if (has_unit_costs<T>(a.nnz())) s.unit_cost = unit_costs(a, s.cut_row, s.cut_entry, runs);
    s.unit_tiled = std::move(runs.unit_tiled);
    s.holed = std::move(runs.holed);
    s.mask = std::move(runs.mask);
    s.beside = std::move(runs.beside);
    s.diagonal_tiles = std::move(runs.diagonal_tiles);
    s.diagonal = std::move(runs.diagonal);
    s.diagonal_mask = std::move(runs.diagonal_mask);
    s.run = std::move(runs.run);
    s.unit_run = std::move(runs.of_unit);
    s.piece = std::move(runs.piece);
    s.unit_piece = std::move(runs.unit_pieces);
    s.node_col = std::move(runs.node_col);
    if (!s.node_col.empty()) s.unit_node_col = std::move(runs.unit_node_col);
  } else if (o.kernel == csr_kernel::balanced) {
    whole_row_cuts cuts = cut_between_rows(a, device_block_tile(a.rows, a.nnz(), longest_row(a)));
    s.meta.units = cuts.units();
    s.meta.tile_items = device_tile_items(a.rows + a.nnz());
    s.cut_row = std::move(cuts.row);
    s.cut_entry = std::move(cuts.entry);
  }
  if (o.kernel == csr_kernel::balanced)
    s.carries = exec::list_carries(
        s.meta.units, [&](std::int64_t u) { return row_across_cut(a, s.cut_row, s.cut_entry, u); },
        s.meta.carries);
  return s;
}

template <class V, offset O>
footprint csr::measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                       const exec::target& target) {
  footprint f{.bytes = (s.rows + 1) * static_cast<std::int64_t>(sizeof(O)) +
                       s.nnz * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t))};
  if (target.kind == device_set::cpu) {
    const std::int64_t units = cpu_units(csr_cpu_weight(s.rows, s.nnz)).units;
    // How many runs there are, and which cuts fall inside rows, is known only by looking at every column.
    const run_bounds bound = bound_runs(a);
    f.exact = bound.runs == 0 && bound.diagonal_tiles == 0 && bound.slices == 0;
    const std::int64_t numbers = 2 + (has_unit_costs<V>(s.nnz) ? 1 : 0) + (bound.node_cols > 0 ? 1 : 0);
    f.bytes +=
        (units + 1) * static_cast<std::int64_t>(2 * sizeof(std::int32_t) +
                                                static_cast<std::size_t>(numbers) * sizeof(std::int64_t)) +
        bound.runs * static_cast<std::int64_t>(sizeof(csr_run)) +
        bound.pieces * static_cast<std::int64_t>(sizeof(column_piece)) +
        bound.node_cols * static_cast<std::int64_t>(sizeof(std::int32_t)) +
        bound.tiled * static_cast<std::int64_t>(sizeof(V)) + bound.tiled / tiled_rows +
        bound.holed * static_cast<std::int64_t>(sizeof(holed_tile)) +
        bound.beside * static_cast<std::int64_t>(sizeof(entry_beside) + sizeof(V)) +
        bound.diagonal_values * static_cast<std::int64_t>(sizeof(V)) +
        bound.diagonals * static_cast<std::int64_t>(sizeof(std::int32_t) + 1) +
        bound.diagonal_tiles * static_cast<std::int64_t>(sizeof(diagonal_tile) + sizeof(csr_run));
    // Each slice may be a run, with eight columns behind it; a byte for each step of a slice, in which each row counts once.
    if (bound.slices > 0)
      f.bytes += (bound.slices + 1) * static_cast<std::int64_t>(sizeof(diagonal_tile) + sizeof(csr_run) +
                                                                slice_bytes::rows_of_step +
                                                                rows_of_slice * sizeof(std::int32_t)) +
                 bound.sliced_values * static_cast<std::int64_t>(sizeof(V)) +
                 bound.sliced * static_cast<std::int64_t>(sizeof(std::int32_t) + 1);
    if (o.kernel == csr_kernel::balanced) {
      f.bytes += (units + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
                 exec::carry_bytes_bound(units, units - 1);
      f.exact = f.exact && units <= 1;
    }
  } else if (o.kernel == csr_kernel::balanced) {
    const block_tile tile = device_block_tile(s.rows, s.nnz, s.max);
    const std::int64_t units = units_at_most(s.rows, s.nnz, s.max, tile);
    f.exact = s.max <= tile.longest_whole;
    f.bytes += (units + 1) * static_cast<std::int64_t>(sizeof(std::int32_t) + sizeof(std::int64_t)) +
               exec::carry_bytes_bound(units, f.exact ? 0 : units - 1);
  }
  return f;
}

template <class V, offset O>
double csr::cost(const row_statistics& s, const options&, const exec::target&, const machine& m) {
  const double matrix = static_cast<double>(s.nnz) * (sizeof(V) + sizeof(std::int32_t)) +
                        static_cast<double>(s.rows + 1) * sizeof(O);
  const double vectors = static_cast<double>(s.rows + s.cols) * sizeof(V);
  return roofline(matrix + vectors, 1, m);
}

template <value V, offset O>
csr_matrix<V, std::int64_t> csr::to_csr(const csr_storage<V, O, host_buffer>& stored) {
  return copy<V, std::int64_t, O>({.rows = stored.meta.rows,
                                   .cols = stored.meta.cols,
                                   .row_ptr = stored.row_ptr.span(),
                                   .col = stored.col.span(),
                                   .val = stored.val.span()});
}

}  // namespace gossamer::inline v0::formats
