// SPDX-License-Identifier: BSD-3-Clause
// What cpu.cpp calls of cpu_kernel.inl: defined in a unit for each instruction set (kernel_unit.cpp.in).
namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

template <class S, class O, bool Gathers>
void whole_rows(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t first_unit,
                std::int64_t last_unit, sum_t<S>* scratch);
template <class S, class O, bool Gathers>
void balanced(const pattern_csr_pointers<matrix_t<S>, O>& a, const product<S>& p, std::int64_t first_unit,
              std::int64_t last_unit, sum_t<S>* slots);

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
