// SPDX-License-Identifier: BSD-3-Clause
// Compressed sparse rows on a CPU, with the patterns of rows found once: a product need not read their
// columns, and reads some values from a second copy in another order.
#pragma once

#include <array>
#include <utility>

#include "core/instantiate.hpp"
#include "formats/common/csr_units.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/contract/format.hpp"
#include "formats/pattern_csr/run_bounds.hpp"
#include "formats/pattern_csr/sample.hpp"
#include "formats/pattern_csr/storage.hpp"
#include "formats/pattern_csr/unit_cost.hpp"
#include "formats/pattern_csr/unit_runs.hpp"

namespace gossamer::inline v0::formats {

/// The footprint, and whether a sample of rows has patterns.
struct pattern_csr_footprint : footprint {
  bool has_patterns = true;
};

struct pattern_csr {
  static constexpr std::string_view name = "pattern_csr";
  static constexpr std::string_view source = "ours; balanced: Merrill and Garland 2016";
  static constexpr std::string_view help = "csr with a second copy of the values, in the order of SIMD lanes";
  static constexpr device_set devices = device_set::cpu;
  static constexpr kept keeps{};

  static constexpr std::array<option_choice, 3> kernels{
      option_choice{"auto", "balanced if rows are long, else thread"},
      option_choice{"thread", "one thread multiplies a row"},
      option_choice{"balanced", "equal shares of entries and row ends; rows are cut between shares"}};

  struct options {
    pattern_csr_kernel kernel = pattern_csr_kernel::automatic;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(choice_field{.name = "kernel", .help = "how rows are given to threads", .choices = kernels},
        self.kernel);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static pattern_csr_footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                       const exec::target& target);
  /// Patterns make most structures' entries cheap. A matrix without any is multiplied as csr does it.
  template <value V>
  static core_work cpu_work(const row_statistics&, const options&, const exec::target&,
                            const pattern_csr_footprint& size) {
    return size.has_patterns ? zen4::pattern_csr : zen4::csr;
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m) {
    return csr_cost<V, O>(s, m);
  }

  template <class T, offset O, template <class> class Buffer>
  using storage = pattern_csr_storage<T, O, Buffer>;

  template <class T, offset O>
  static pattern_csr_storage<T, O, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                      const exec::target& target);
  template <value V, offset O>
  static csr_matrix<V, std::int64_t> to_csr(const pattern_csr_storage<V, O, host_buffer>& stored);

  /// Columns of rows in slices, which a product reads there.
  template <class Stored>
  static std::int64_t duplicated_columns(const Stored& stored) {
    auto sum = static_cast<std::int64_t>(stored.extra.size());
    for (const pattern_run& run : stored.run.span()) {
      if (run.kind != pattern_kind::lane_slices) continue;
      const auto* const row_ptr = stored.row_ptr.span().data();
      sum += static_cast<std::int64_t>(row_ptr[run.last] - row_ptr[run.first]);
    }
    return sum;
  }

  /// Rows in tiles are read from there, and stay in the caller's array too.
  template <class Stored>
  static std::int64_t duplicated_values(const Stored& stored) {
    return static_cast<std::int64_t>(stored.tiled.size() + stored.extra_val.size());
  }
  template <scalar_types S, offset O>
  static std::int64_t scratch(const pattern_csr_pointers<matrix_t<S>, O>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries);
  }
  static constexpr bool multiplies_packs = true;
  template <scalar_types S, offset O>
  static cpu_passes<pattern_csr_pointers<matrix_t<S>, O>, S> passes(
      const pattern_csr_pointers<matrix_t<S>, O>&, isa);
};

template <class T, offset O>
pattern_csr_storage<T, O, host_buffer> pattern_csr::build(const csr_view<T, O>& a, const options& o,
                                                          const exec::target& target) {
  pattern_csr_storage<T, O, host_buffer> s;
  s.meta = {
      .rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .kernel = o.kernel, .reading = reading_of(a, target)};
  borrow_arrays(s, a);
  const unit_size cuts = cpu_units(csr_cpu_weight(a.rows, a.nnz()));
  s.meta.units = cuts.units;
  s.cut_row = cut_equally(a, cuts.units, cuts.weight, csr_row_weight);
  const bool cut = o.kernel == pattern_csr_kernel::balanced;
  if (cut) s.cut_entry = cut_entries(a, s.cut_row, cuts.weight, csr_row_weight);
  cut_between_nodes(a, s.cut_row, s.cut_entry);
  const std::int32_t* const cut_row = s.cut_row.data();
  pattern_runs runs = find_runs_of_units(
      a, cuts.units,
      [&](std::int64_t u) {
        const bool begun = cut && row_across_cut(a, s.cut_row, s.cut_entry, u) >= 0;
        return std::int64_t{cut_row[u]} + (begun ? 1 : 0);
      },
      [&](std::int64_t u) { return std::int64_t{cut_row[u + 1]}; });
  s.tiled = tile_values(a, runs);
  s.extra_val = values_of_extra_entries(a, runs);
  if (has_unit_costs<T>(a.nnz())) s.unit_cost = unit_costs_with_runs(a, s.cut_row, s.cut_entry, runs);
  s.unit_tiled = std::move(runs.unit_tiled);
  s.masked_tiles = std::move(runs.masked_tiles);
  s.mask = std::move(runs.mask);
  s.extra = std::move(runs.extra);
  s.diagonal_tiles = std::move(runs.diagonal_tiles);
  s.diagonal = std::move(runs.diagonal);
  s.diagonal_mask = std::move(runs.diagonal_mask);
  s.run = std::move(runs.run);
  s.unit_run = std::move(runs.of_unit);
  s.piece = std::move(runs.piece);
  s.unit_piece = std::move(runs.unit_pieces);
  s.node_col = std::move(runs.node_col);
  if (!s.node_col.empty()) s.unit_node_col = std::move(runs.unit_node_col);
  if (cut)
    s.carries = exec::list_carries(
        s.meta.units, [&](std::int64_t u) { return row_across_cut(a, s.cut_row, s.cut_entry, u); },
        s.meta.carries);
  return s;
}

template <class V, offset O>
pattern_csr_footprint pattern_csr::measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                           const exec::target& /*target*/) {
  pattern_csr_footprint f;
  f.bytes = csr_bytes<V, O>(s);
  const std::int64_t units = cpu_units(csr_cpu_weight(s.rows, s.nnz)).units;
  // How many runs there are, and which cuts fall inside rows, is known only by looking at every column.
  const run_bounds bound = bound_runs(a);
  f.exact = bound.runs == 0 && bound.diagonal_tiles == 0 && bound.slices == 0;
  const std::int64_t numbers = 2 + (has_unit_costs<V>(s.nnz) ? 1 : 0) + (bound.node_cols > 0 ? 1 : 0);
  f.bytes +=
      (units + 1) * static_cast<std::int64_t>(2 * sizeof(std::int32_t) +
                                              static_cast<std::size_t>(numbers) * sizeof(std::int64_t)) +
      bound.runs * static_cast<std::int64_t>(sizeof(pattern_run)) +
      bound.pieces * static_cast<std::int64_t>(sizeof(column_piece)) +
      bound.node_cols * static_cast<std::int64_t>(sizeof(std::int32_t)) +
      bound.tiled * static_cast<std::int64_t>(sizeof(V)) + bound.tiled / tiled_rows +
      bound.masked_tiles * static_cast<std::int64_t>(sizeof(masked_tile)) +
      bound.extra * static_cast<std::int64_t>(sizeof(extra_entry) + sizeof(V)) +
      bound.diagonal_values * static_cast<std::int64_t>(sizeof(V)) +
      bound.diagonals * static_cast<std::int64_t>(sizeof(std::int32_t) + 1) +
      bound.diagonal_tiles * static_cast<std::int64_t>(sizeof(diagonal_tile) + sizeof(pattern_run));
  // Each slice may be a run, with eight columns behind it; a byte for each step of a slice, in which each row
  // counts once.
  if (bound.slices > 0)
    f.bytes += (bound.slices + 1) * static_cast<std::int64_t>(sizeof(diagonal_tile) + sizeof(pattern_run) +
                                                              slice_bytes::rows_of_step +
                                                              rows_of_slice * sizeof(std::int32_t)) +
               bound.sliced_values * static_cast<std::int64_t>(sizeof(V)) +
               bound.sliced * static_cast<std::int64_t>(sizeof(std::int32_t) + 1);
  if (o.kernel == pattern_csr_kernel::balanced) {
    f.bytes += (units + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
               exec::carry_bytes_bound(units, units - 1);
    f.exact = f.exact && units <= 1;
  }
  f.has_patterns = may_have_patterns(bound) && has_patterns_by_sample(a);
  return f;
}

template <value V, offset O>
csr_matrix<V, std::int64_t> pattern_csr::to_csr(const pattern_csr_storage<V, O, host_buffer>& stored) {
  return kept_rows<V, O>(stored);
}

// Compiled in build.cpp: composites build it too.
#define GOSSAMER_PATTERN_CSR_BUILD(T, O)                                                                    \
  template pattern_csr_storage<T, O, host_buffer> pattern_csr::build(const csr_view<T, O>&, const options&, \
                                                                     const exec::target&);
#define GOSSAMER_PATTERN_CSR(V, O) \
  extern GOSSAMER_PATTERN_CSR_BUILD(V, O) extern GOSSAMER_PATTERN_CSR_BUILD(entry_number<V>, O)
GOSSAMER_FOR_EACH_CSR(GOSSAMER_PATTERN_CSR)
#undef GOSSAMER_PATTERN_CSR

}  // namespace gossamer::inline v0::formats
