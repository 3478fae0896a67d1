// SPDX-License-Identifier: BSD-3-Clause
#include "plans/transposed_plan.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/transpose.hpp"
#include "exec/elementwise.hpp"

namespace gossamer::inline v0::plans {
namespace {

template <class V>
void copy_values(const V* from, host_buffer<V>& to) {
  core::parallel_for(
      static_cast<std::int64_t>(to.size()), core::default_grain,
      [&](std::int64_t begin, std::int64_t end) { std::copy(from + begin, from + end, to.data() + begin); });
}

}  // namespace

template <class S>
std::int64_t transposed_plan<S>::bytes() const noexcept {
  return base_->bytes() +
         static_cast<std::int64_t>(permutation_.size() * sizeof(std::int64_t) + values_.size() * sizeof(V));
}

template <class S>
void transposed_plan<S>::update_host(const V* values) {
  if (permutation_.empty()) return base_->update_host(values);
  host_buffer<V> own(permutation_.size());
  exec::gather_values(own.data(), std::as_const(permutation_).data(), base_->facts().nnz, values);
  base_->update_host(std::as_const(own).data());
}

template <class S>
csr_matrix<matrix_t<S>, std::int64_t> transposed_plan<S>::to_csr() const {
  return core::transpose(base_->to_csr().view(), nullptr);
}

template <class S>
void transposed_plan<S>::stored_values(const csr_view<V, std::int64_t>& a, V* to) const {
  host_buffer<std::int64_t> permutation(a.val.size());
  const auto at = core::transpose(a, permutation.data());
  host_buffer<V> stored(a.val.size());
  base_->stored_values(at.row_ptr.data(), at.val.data(), stored.data());
  for (std::size_t k = 0; k < stored.size(); ++k) to[permutation[k]] = stored[k];
}

template <class S>
void transposed_plan<S>::keep_values(std::span<const V> values) {
  values_ = host_buffer<V>(values.size());
  copy_values(values.data(), values_);
}

template <class S>
void update_both(plan_base<S>& forward, transposed_plan<S>& transposed, const matrix_t<S>* values) {
  // Who may refuse them goes first.
  if (!forward.may_refuse_values()) {
    transposed.update_host(values);
    forward.update_host(values);
    return;
  }
  forward.update_host(values);
  if (!transposed.base().may_refuse_values()) return transposed.update_host(values);
  try {
    transposed.update_host(values);
  } catch (...) {
    forward.update_host(std::as_const(transposed.values_).data());
    throw;
  }
  copy_values(values, transposed.values_);
}

#define GOSSAMER_INSTANCE(S)         \
  template class transposed_plan<S>; \
  template void update_both(plan_base<S>&, transposed_plan<S>&, const matrix_t<S>*);
GOSSAMER_INSTANCE(scalars<float>)
GOSSAMER_INSTANCE(scalars<double>)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::plans
