// SPDX-License-Identifier: BSD-3-Clause
// What cpu.cpp calls of cpu_kernel.inl: defined in a unit for each instruction set (kernel_unit.cpp.in).
namespace gossamer::inline v0::formats {

namespace bccoo_kernels::GOSSAMER_ISA {
template <class S>
void whole_chunks(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                  std::int64_t last, sum_t<S>* slots);
}

namespace bccoo_uniform_kernels::GOSSAMER_ISA {
template <class S, bool Gathers>
void whole_chunks(const bccoo_pointers<matrix_t<S>>& a, const product<S>& p, std::int64_t first,
                  std::int64_t last, sum_t<S>* slots);
}

}  // namespace gossamer::inline v0::formats
