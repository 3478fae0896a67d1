// SPDX-License-Identifier: BSD-3-Clause
// What cpu.cpp calls of cpu_kernel.inl: defined in a unit for each instruction set (kernel_unit.cpp.in).
namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

template <class V, class O, bool Gathers>
void whole_rows(const pattern_csr_pointers<V, O>& a, const product<V>& p, std::int64_t first_unit,
                std::int64_t last_unit, V* scratch);
template <class V, class O, bool Gathers>
void balanced(const pattern_csr_pointers<V, O>& a, const product<V>& p, std::int64_t first_unit,
              std::int64_t last_unit, V* slots);

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
