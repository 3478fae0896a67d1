// SPDX-License-Identifier: BSD-3-Clause
// Compressed sparse row: the caller's own arrays, and several ways of giving rows to threads.
#pragma once

#include <array>
#include <utility>

#include "formats/common/csr_units.hpp"
#include "formats/common/device_tile.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/contract/format.hpp"
#include "formats/csr/storage.hpp"

namespace gossamer::inline v0::formats {

struct csr {
  static constexpr std::string_view name = "csr";
  static constexpr std::string_view source =
      "common; warp and half_warp: paper 002 (CSR-R, CSR-O); adaptive: Reguly and Giles 2012, paper 000's "
      "RG12; "
      "balanced: Merrill and Garland 2016";
  static constexpr std::string_view help = "compressed sparse rows; uses the arrays of the caller";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};
  static constexpr bool builds_from_row_ptr = true;

  static constexpr std::array<option_choice, 6> kernels{
      option_choice{"auto", "balanced if rows are long, uneven or scattered, else a kernel for whole rows"},
      option_choice{"thread", "one thread multiplies a row"},
      option_choice{"warp", "32 threads multiply a row", device_set::cuda},
      option_choice{"half_warp", "16 threads multiply a row", device_set::cuda},
      option_choice{"adaptive", "threads_per_row threads multiply rows_per_group rows, one after another",
                    device_set::cuda},
      option_choice{"balanced", "equal shares of entries and row ends; rows are cut between shares"}};

  struct options {
    csr_kernel kernel = csr_kernel::automatic;
    std::int64_t threads_per_row = 0;
    std::int64_t rows_per_group = 0;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(choice_field{.name = "kernel", .help = "how rows are given to threads", .choices = kernels},
        self.kernel);
      f(number_field{.name = "threads_per_row",
                     .help = "threads that share a row, if kernel = adaptive; a power of two",
                     .min = 1,
                     .max = 32,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.threads_per_row);
      f(number_field{.name = "rows_per_group",
                     .help = "rows that the same threads multiply, if kernel = adaptive",
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
  static constexpr core_work work(const options&) { return zen4::csr; }
  static device_work gpu_work(const row_statistics& s, const options& o);
  template <class V, offset O>
  static double cost(const row_statistics& s, const options&, const exec::target&, const machine& m) {
    return csr_cost<V, O>(s, m);
  }

  template <class T, offset O, template <class> class Buffer>
  using storage = csr_storage<T, O, Buffer>;

  template <class T, offset O>
  static csr_storage<T, O, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                              const exec::target& target);
  template <value V, offset O>
  static csr_matrix<V, std::int64_t> to_csr(const csr_storage<V, O, host_buffer>& stored);

  template <scalar_types S, offset O>
  static std::int64_t scratch(const csr_pointers<matrix_t<S>, O>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries);
  }
  static constexpr bool multiplies_packs = true;
  template <scalar_types S, offset O>
  static cpu_passes<csr_pointers<matrix_t<S>, O>, S> passes(const csr_pointers<matrix_t<S>, O>&, isa);
  template <scalar_types S, offset O>
  static void launch(const csr_pointers<matrix_t<S>, O>&, const product<S>&, sum_t<S>*, cuda_stream);
  template <scalar_types S, offset O>
  static void launch_with_epilogue(const csr_pointers<matrix_t<S>, O>&,
                                   const product<exec::with_epilogue<S>>&, sum_t<S>*, cuda_stream);
  static constexpr std::int64_t columns_at_once = 16;
  static constexpr bool launches_packs = true;
  template <scalar_types S, offset O>
  static void launch_columns(const csr_pointers<matrix_t<S>, O>&, const columns_product<S>&, sum_t<S>*,
                             cuda_stream);
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
  borrow_arrays(s, a);
  if (target.kind == device_set::cpu) {
    s.meta.reading = reading_of(a, target);
    const unit_size cuts = cpu_units(csr_cpu_weight(a.rows, a.nnz()));
    s.meta.units = cuts.units;
    s.cut_row = cut_equally(a, cuts.units, cuts.weight, csr_row_weight);
    if (o.kernel == csr_kernel::balanced)
      s.cut_entry = cut_entries(a, s.cut_row, cuts.weight, csr_row_weight);
    if (has_unit_costs<T>(a.nnz()))
      s.unit_cost = unit_costs(a, s.cut_row, s.cut_entry,
                               [](std::int64_t, std::int64_t first, std::int64_t last, const auto& alone) {
                                 return alone(first, last);
                               });
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
  footprint f{.bytes = csr_bytes<V, O>(s)};
  if (target.kind == device_set::cpu) {
    const unit_size cuts = cpu_units(csr_cpu_weight(s.rows, s.nnz));
    f.bytes +=
        (cuts.units + 1) * static_cast<std::int64_t>(sizeof(std::int32_t) +
                                                     (has_unit_costs<V>(s.nnz) ? sizeof(std::int64_t) : 0));
    if (o.kernel == csr_kernel::balanced) {
      f.bytes += (cuts.units + 1) * static_cast<std::int64_t>(sizeof(std::int64_t)) +
                 exec::carry_bytes_bound(cuts.units, rows_across_cuts(a, cuts, csr_row_weight));
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

template <value V, offset O>
csr_matrix<V, std::int64_t> csr::to_csr(const csr_storage<V, O, host_buffer>& stored) {
  return kept_rows<V, O>(stored);
}

}  // namespace gossamer::inline v0::formats
