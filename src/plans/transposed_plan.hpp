// SPDX-License-Identifier: BSD-3-Clause
// The plan of a transposed matrix, with what leads back to the matrix it was made of.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

template <class S>
class transposed_plan {
  using V = matrix_t<S>;

 public:
  /// permutation[k]: the index in A of entry k of the transpose. Empty where `base` takes values in the order
  /// of A, or takes no new ones.
  transposed_plan(std::unique_ptr<plan_base<S>> base, host_buffer<std::int64_t>&& permutation)
      : base_(std::move(base)), permutation_(std::move(permutation)) {}

  [[nodiscard]] const plan_base<S>& base() const noexcept { return *base_; }
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// Values in the order of A.
  void update_host(const V* values);
  void update_device(const V* values, cuda_stream stream) { base_->update_device(values, stream); }
  /// A, not its transpose.
  [[nodiscard]] csr_matrix<V, std::int64_t> to_csr() const;
  /// Sets to[k] to the value that the plan stores for entry k. `a` has the structure of A.
  void stored_values(const csr_view<V, std::int64_t>& a, V* to) const;

  /// For update_both(): values that `forward` takes back where the transpose refuses new ones.
  void keep_values(std::span<const V> values);

 private:
  template <class T>
  friend void update_both(plan_base<T>& forward, transposed_plan<T>& transposed, const matrix_t<T>* values);

  std::unique_ptr<plan_base<S>> base_;
  host_buffer<std::int64_t> permutation_;
  host_buffer<V> values_;
};

/// New values for both. If one of them refuses them, or finds no memory to encode them, both keep the old
/// ones.
template <class S>
void update_both(plan_base<S>& forward, transposed_plan<S>& transposed, const matrix_t<S>* values);

}  // namespace gossamer::inline v0::plans
