// SPDX-License-Identifier: BSD-3-Clause
// A plan that stores a permuted matrix and takes vectors and values in the caller's order. It permutes x,
// calls the plan of the permuted matrix, and permutes y back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "plans/plan_base.hpp"
#include "plans/row_order.hpp"

namespace gossamer::inline v0::plans {

/// What a reordered plan holds besides the plan of the permuted matrix, `base`.
struct reordered_data {
  std::shared_ptr<const row_order> order;
  /// Whether the bytes of `order` belong to this plan. The plans of A and of its transpose share them.
  bool owns_order = true;
  /// entries[k]: the index in the caller's matrix of entry k of the permuted one. Empty if `base` takes new
  /// values in the caller's order, or takes none.
  host_buffer<std::int64_t> entries;
  /// Options of inspect(), as the caller passed them.
  reordering method = reordering::none;
  bool copy = false;
  std::optional<std::int64_t> memory_limit;
};

template <class S>
class reordered_plan final : public plan_base<S> {
  using V = matrix_t<S>;

 public:
  /// `base` is a plan of permuted(a, data.order->permutation()), on the resource of data.order.
  reordered_plan(std::unique_ptr<plan_base<S>> base, reordered_data&& data);

  void multiply_host(const product<S>& p, workspace_base& scratch) const override;
  void multiply_device(const product<S>& p, cuda_stream stream, workspace_base& scratch) const override;
  void multiply_columns_host(const columns_product<S>& p, workspace_base& scratch) const override;
  std::int64_t multiply_rows_host(const columns_product<S>& p, workspace_base& scratch) const override;
  [[nodiscard]] std::int64_t columns_at_once() const noexcept override { return base_->columns_at_once(); }
  [[nodiscard]] bool multiply_columns_device(const columns_product<S>& p, cuda_stream stream,
                                             workspace_base& scratch) const override;
  [[nodiscard]] bool reads_once_for_columns() const noexcept override {
    return base_->reads_once_for_columns();
  }
  void update_host(const V* values) override;
  void update_device(const V* values, cuda_stream stream) override { base_->update_device(values, stream); }
  [[nodiscard]] csr_matrix<V, std::int64_t> to_csr() const override;
  /// Formats round values one by one, so their order does not matter.
  void stored_values(const std::int64_t* row_ptr, const V* values, V* to) const override {
    base_->stored_values(row_ptr, values, to);
  }
  [[nodiscard]] std::optional<rounding_error> rounding() const override { return base_->rounding(); }
  [[nodiscard]] std::unique_ptr<workspace_base> make_workspace() const override;
  [[nodiscard]] std::int64_t bytes() const noexcept override;
  [[nodiscard]] std::int64_t slots() const noexcept override { return base_->slots(); }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override {
    return base_->streamed_bytes() + data_.order->host_bytes();
  }
  [[nodiscard]] std::int64_t bus_bytes() const noexcept override { return base_->bus_bytes(); }
  [[nodiscard]] std::int64_t device_bytes(int device) const noexcept override;
  [[nodiscard]] bool may_refuse_values() const noexcept override { return base_->may_refuse_values(); }
  [[nodiscard]] bool takes_values_in_caller_order() const noexcept override {
    return base_->takes_values_in_caller_order();
  }
  [[nodiscard]] std::span<const std::int32_t> permutation() const noexcept override {
    return data_.order->permutation();
  }

 private:
  /// Permutes X and Y in host memory around multiply(permuted product, workspace of base_). The permuted X
  /// and Y are row-major if `by_rows`, else column-major. Returns the number of columns that multiply()
  /// returns.
  template <class Multiply>
  std::int64_t multiply_permuted(const columns_product<S>& p, bool by_rows, workspace_base& scratch,
                                 Multiply&& multiply) const;
  [[nodiscard]] std::int64_t size() const noexcept { return this->facts().rows; }

  reordered_data data_;
  int threads_;
  int device_;  ///< -1: a CPU
  std::unique_ptr<plan_base<S>> base_;
};

}  // namespace gossamer::inline v0::plans
