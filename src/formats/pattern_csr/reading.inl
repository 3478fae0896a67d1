// SPDX-License-Identifier: BSD-3-Clause
// The names that kernels of patterns use (included by cpu_kernel.inl, for each instruction set).
#include "formats/common/csr_rows.inl"

namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA {

using csr_rows::GOSSAMER_ISA::balanced_unit;
using csr_rows::GOSSAMER_ISA::choose_prefetch;
using csr_rows::GOSSAMER_ISA::prefetch;
using csr_rows::GOSSAMER_ISA::prefetch_entries;
using csr_rows::GOSSAMER_ISA::prefetch_policy;
using csr_rows::GOSSAMER_ISA::row_prefetch_bytes;
using csr_rows::GOSSAMER_ISA::separate_rows;
using csr_rows::GOSSAMER_ISA::tile_prefetch_bytes;
using csr_rows::GOSSAMER_ISA::x_reader;
using finished_rows::GOSSAMER_ISA::finish_rows;
using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::tile;
using simd::GOSSAMER_ISA::vec;

}  // namespace gossamer::inline v0::formats::pattern_csr_kernels::GOSSAMER_ISA
