// SPDX-License-Identifier: BSD-3-Clause
// What a step needs that cuBLAS has not: quotients of scalars in device memory, and bounds.
#pragma once

#include <cstdint>

#include "gossamer/resource.hpp"

namespace gossamer::bench_support::loops {

/// Scalars of CG in device memory, in the type that cuBLAS takes.
template <class V>
struct cg_scalars {
  V rr;       ///< r.r before the step
  V pq;       ///< p.q
  V rr_next;  ///< r.r after the step
  V alpha;
  V minus_alpha;
  V beta;
  V one;
};

/// alpha = rr / pq; 0 if pq is 0, so that further iterations of a graph change nothing.
template <class V>
void quotient_alpha_on_device(cg_scalars<V>* s, cuda_stream stream);
/// beta = rr_next / rr, then rr = rr_next; beta is 0 if rr is 0.
template <class V>
void quotient_beta_on_device(cg_scalars<V>* s, cuda_stream stream);

/// x = min(max(x, lower), upper), element by element.
template <class V>
void clamp_on_device(V* x, const V* lower, const V* upper, std::int64_t size, cuda_stream stream);

}  // namespace gossamer::bench_support::loops
