// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>

#include "formats/coo/format.hpp"
#define GOSSAMER_KERNELS "formats/coo/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// Units of the pass that prepares y where sums are added to it.
constexpr std::int64_t rows_per_unit = 4096;

template <class S>
void scale_rows(const coo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                std::int64_t last, sum_t<S>*) {
  if (p.beta == sum_t<S>{1}) return;
  for (std::int64_t i = first * rows_per_unit; i < std::min(a.meta.rows, last * rows_per_unit); ++i)
    p.finish_row(i, sum_t<S>{0});
}

/// One atomic addition an entry, as a GPU thread would; later than scale_rows.
template <class S>
void atomic_entries(const coo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                    std::int64_t last, sum_t<S>*) {
  const std::int64_t end = std::min(a.meta.nnz, last * a.meta.unit_entries);
  for (std::int64_t k = first * a.meta.unit_entries; k < end; ++k)
    std::atomic_ref<vector_t<S>>(p.y[a.row[k]])
        .fetch_add(p.alpha * (a.val[k] * p.x[a.col[k]]), std::memory_order_relaxed);
}

}  // namespace

template <scalar_types S>
cpu_passes<coo_pointers<matrix_t<S>>, S> coo::passes(const coo_pointers<matrix_t<S>>& a, isa level) {
  if (a.meta.accumulate == coo_accumulate::atomic) {
    const std::int64_t row_units = (a.meta.rows + rows_per_unit - 1) / rows_per_unit;
    return {{.run = scale_rows<S>, .units = row_units, .carries = {}},
            {.run = atomic_entries<S>, .units = a.meta.units, .carries = {}}};
  }
  return {{.run = GOSSAMER_SELECT_ISA(level, coo_kernels, (segmented<S>)),
           .units = a.meta.units,
           .carries = a.carries,
           .min_units_per_thread = min_units_to_wake_thread(a.meta.nnz, a.meta.units)}};
}

GOSSAMER_INSTANTIATE_PASSES(coo, std::int64_t)

}  // namespace gossamer::inline v0::formats
