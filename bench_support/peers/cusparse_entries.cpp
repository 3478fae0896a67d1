// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE's lines of the list.
#include "bench_support/peers/all_peers.hpp"
#include "bench_support/peers/cusparse.hpp"

namespace gossamer::bench_support::peers {
namespace {

/// `Kind`: cusparse::kind, cusparse::spmm_kind or cusparse::spmvop_kind. Operation transpose adds with
/// atomics, which take subnormal numbers of f32 for zero.
template <auto Kind>
constexpr entry make(std::string_view help, peer_presence (*look)() = cusparse::look) {
  return {.info = {.name = cusparse::name_of(Kind),
                   .library = "cuSPARSE",
                   .devices = device_set::cuda,
                   .help = help,
                   .transposed = cusparse::is_transposed(Kind),
                   .order = cusparse::order_of(Kind),
                   .several = cusparse::multiplies_several(Kind),
                   .flushes_f32 = cusparse::is_transposed(Kind)},
          .look = look,
          .prepare_f32 =
              [](matrix<float>&& a, const exec::target& t, std::int64_t columns) {
                return cusparse::prepare<float>(Kind, std::move(a), t, columns);
              },
          .prepare_f64 =
              [](matrix<double>&& a, const exec::target& t, std::int64_t columns) {
                return cusparse::prepare<double>(Kind, std::move(a), t, columns);
              }};
}

}  // namespace

template <>
const entry& entry_of<struct cusparse_csr_alg1>() {
  static constexpr entry all = make<cusparse::kind::csr_alg1>("CSR, algorithm 1, preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_csr_alg2>() {
  static constexpr entry all =
      make<cusparse::kind::csr_alg2>("CSR, algorithm 2 (the same bits every run), preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_coo>() {
  static constexpr entry all = make<cusparse::kind::coo>("COO sorted by row, algorithm 1, preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_sliced_ell>() {
  static constexpr entry all =
      make<cusparse::kind::sliced_ell>("ELLPACK in slices of 32 rows, converted on the host");
  return all;
}
template <>
const entry& entry_of<struct cusparse_bsr>() {
  static constexpr entry all =
      make<cusparse::kind::bsr>("square blocks of 2 to 6 where they hold at most 1.3 slots a nonzero");
  return all;
}
template <>
const entry& entry_of<struct cusparse_csr_alg1_transposed>() {
  static constexpr entry all =
      make<cusparse::kind::csr_alg1_transposed>("CSR of A, algorithm 1, operation transpose, preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_csr_alg2_transposed>() {
  static constexpr entry all =
      make<cusparse::kind::csr_alg2_transposed>("CSR of A, algorithm 2, operation transpose, preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmvop_alg1>() {
  static constexpr entry all =
      make<cusparse::spmvop_kind::alg1>("SpMVOp, CSR, algorithm 1", cusparse::look_for_spmvop);
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmvop_alg2>() {
  static constexpr entry all =
      make<cusparse::spmvop_kind::alg2>("SpMVOp, CSR, algorithm 2", cusparse::look_for_spmvop);
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmm_csr_alg1_row>() {
  static constexpr entry all =
      make<cusparse::spmm_kind::csr_alg1_row>("CSR times row-major vectors, algorithm 1, preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmm_csr_alg1_column>() {
  static constexpr entry all =
      make<cusparse::spmm_kind::csr_alg1_column>("CSR times column-major vectors, algorithm 1, preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmm_csr_alg2_row>() {
  static constexpr entry all =
      make<cusparse::spmm_kind::csr_alg2_row>("CSR times row-major vectors, algorithm 2");
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmm_csr_alg3_row>() {
  static constexpr entry all = make<cusparse::spmm_kind::csr_alg3_row>(
      "CSR times row-major vectors, algorithm 3 (the same bits every run), preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmm_csr_alg3_column>() {
  static constexpr entry all = make<cusparse::spmm_kind::csr_alg3_column>(
      "CSR times column-major vectors, algorithm 3 (the same bits every run), preprocessed");
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmm_coo_alg4_row>() {
  static constexpr entry all =
      make<cusparse::spmm_kind::coo_alg4_row>("COO sorted by row times row-major vectors, algorithm 4");
  return all;
}
template <>
const entry& entry_of<struct cusparse_spmm_csr_alg1_row_transposed>() {
  static constexpr entry all = make<cusparse::spmm_kind::csr_alg1_row_transposed>(
      "CSR of A times row-major vectors, algorithm 1, operation transpose, preprocessed");
  return all;
}

}  // namespace gossamer::bench_support::peers
