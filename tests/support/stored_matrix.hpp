// SPDX-License-Identifier: BSD-3-Clause
// The matrix that a plan's products are to be compared with: the one that was inspected, or, where the plan
// rounds values, that with rounded ones.
#pragma once

#include <utility>

#include "gossamer/plan.hpp"

namespace gossamer::testing_support {

/// Refers to the arrays of `a`.
template <value V, offset O>
class stored_matrix {
 public:
  stored_matrix(const csr_view<V, O>& a, const plan<V>& plan) : values_(plan.stored_values(a)), view_(a) {
    view_.val = std::as_const(values_).span();
  }
  [[nodiscard]] const csr_view<V, O>& view() const { return view_; }

 private:
  host_buffer<V> values_;
  csr_view<V, O> view_;
};

}  // namespace gossamer::testing_support
