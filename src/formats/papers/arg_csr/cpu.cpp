// SPDX-License-Identifier: BSD-3-Clause
#include "formats/papers/arg_csr/format.hpp"
#define GOSSAMER_KERNELS "formats/papers/arg_csr/cpu_kernel.inl"
#include "exec/cpu/simd/foreach_isa.inl"
#include "exec/cpu/simd/select_isa.hpp"

namespace gossamer::inline v0::formats {

template <value V>
cpu_passes<arg_csr_pointers<V>, V> arg_csr::passes(const arg_csr_pointers<V>& a, isa level) {
  using pass = cpu_pass<arg_csr_pointers<V>, V>;
  const std::int64_t units = cpu_units(a.weight()).units;
  return {pass{.run = GOSSAMER_SELECT_ISA(level, arg_csr_kernels, (groups_by_lanes<V>)),
               .units = units,
               .carries = {},
               .min_units_per_thread = min_units_to_wake_thread(a.weight(), units)}};
}

template cpu_passes<arg_csr_pointers<float>, float> arg_csr::passes(const arg_csr_pointers<float>&, isa);
template cpu_passes<arg_csr_pointers<double>, double> arg_csr::passes(const arg_csr_pointers<double>&, isa);

}  // namespace gossamer::inline v0::formats
