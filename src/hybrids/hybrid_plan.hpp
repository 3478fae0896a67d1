// SPDX-License-Identifier: BSD-3-Clause
// The plans of all parts as one plan.
#pragma once

#include <vector>

#include "hybrids/part.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::hybrids {

template <scalar_types S>
class hybrid_plan final : public plans::plan_base<S> {
 public:
  /// `shown`: all parts, those without rows included; their times are this plan's to fill in.
  hybrid_plan(plans::plan_facts facts, std::vector<part<S>>&& parts, std::vector<plan_part>&& shown);

  void multiply_host(const product<S>& p, plans::workspace_base& workspace) const override;
  void update_host(const matrix_t<S>* values) override;
  [[nodiscard]] csr_matrix<matrix_t<S>, std::int64_t> to_csr() const override;
  void stored_values(const std::int64_t* row_ptr, const matrix_t<S>* values, matrix_t<S>* to) const override;
  /// Of all parts that round; "several" where they round to several types.
  [[nodiscard]] std::optional<rounding_error> rounding() const override;
  [[nodiscard]] std::unique_ptr<plans::workspace_base> make_workspace() const override;
  [[nodiscard]] std::int64_t bytes() const noexcept override;
  [[nodiscard]] std::int64_t slots() const noexcept override;
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override;
  [[nodiscard]] std::int64_t bus_bytes() const noexcept override;
  /// At most: maps of update_values count as if all were there.
  [[nodiscard]] std::int64_t device_bytes(int device) const noexcept override;
  [[nodiscard]] bool may_refuse_values() const noexcept override;
  [[nodiscard]] bool takes_values_in_caller_order() const noexcept override { return false; }
  [[nodiscard]] std::vector<plan_part> parts(const plans::workspace_base& workspace) const override;

  void multiply_device(const product<S>&, cuda_stream, plans::workspace_base&) const override;
  void update_device(const matrix_t<S>*, cuda_stream) override;

 private:
  std::vector<part<S>> parts_;  ///< none of them without rows
  std::vector<plan_part> shown_;
};

}  // namespace gossamer::inline v0::hybrids
