// SPDX-License-Identifier: BSD-3-Clause
// Inspects, checks and times one product.
#pragma once

#include "bench_result.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/formats.hpp"
#include "progress_bar.hpp"

namespace gossamer::cli {

/// One matrix of a benchmark, and where it is multiplied.
template <value V, offset O>
struct bench_subject {
  const matrix_facts& facts;
  csr_view<V, O> a;
  row_statistics statistics;
  resource where;
  double copy_gbs = 0;
  double seconds = 0;  ///< that the timer may take
};

/// A format that refuses the matrix gives the status unsupported; a wrong product, and memory or a device
/// that fails, give the status failed. What else is thrown (a bad option, for example) is thrown on.
template <value V, offset O>
bench_result measure(const bench_subject<V, O>& subject, const std::string& format,
                     const option_texts& options, progress_bar& bar);

/// Products after which `result` has paid for its inspection against `csr`; empty where it never does.
std::optional<double> break_even(const bench_result& result, const bench_result& csr);

}  // namespace gossamer::cli
