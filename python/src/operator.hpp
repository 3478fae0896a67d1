// SPDX-License-Identifier: BSD-3-Clause
// The base class of gossamer.Matrix: a matrix, or its transpose, with a plan for each of its two products.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "plan.hpp"

namespace gossamer::python {

/// What a matrix and its transpose share. A plan is set once and then stays.
struct plan_pair {
  plan_pair() = default;
  plan_pair(const plan_pair&) = delete;
  plan_pair& operator=(const plan_pair&) = delete;
  ~plan_pair();  // also without the GIL

  std::int64_t number = 0;  ///< identifies the matrix in compiled functions of PyTorch and JAX
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  gossamer_type type = GOSSAMER_F64;
  int device = -1;  ///< -1 for a CPU
  nanobind::object context;
  std::shared_ptr<plan> owners[2];
  std::atomic<const plan*> plans[2] = {nullptr, nullptr};  ///< of the products with A and with its transpose
};

/// The pair with this number; null if its last matrix was deleted.
std::shared_ptr<plan_pair> find_pair(std::int64_t number);

class matrix_operator {
 public:
  matrix_operator(std::int64_t rows, std::int64_t cols, gossamer_type type, int device,
                  nanobind::object context);
  /// The same matrix, or its transpose.
  matrix_operator(const matrix_operator& other, bool transposed)
      : pair_(other.pair_), is_transposed_(other.is_transposed_ != transposed) {}

  explicit matrix_operator(std::shared_ptr<plan_pair> pair) : pair_(std::move(pair)) {}

  [[nodiscard]] std::int64_t number() const noexcept { return pair_->number; }
  [[nodiscard]] std::int64_t rows() const noexcept { return is_transposed_ ? pair_->cols : pair_->rows; }
  [[nodiscard]] std::int64_t cols() const noexcept { return is_transposed_ ? pair_->rows : pair_->cols; }
  [[nodiscard]] gossamer_type type() const noexcept { return pair_->type; }
  [[nodiscard]] int device() const noexcept { return pair_->device; }
  [[nodiscard]] bool is_transposed() const noexcept { return is_transposed_; }
  [[nodiscard]] const nanobind::object& context() const noexcept { return pair_->context; }

  /// The plan for products with this matrix, or with its transpose; null if there is none yet.
  [[nodiscard]] const plan* find_plan(bool transposed) const noexcept {
    return pair_->plans[index(transposed)].load(std::memory_order_acquire);
  }
  /// The plan for products with A itself, or with its transpose, whatever is_transposed() is; may be null.
  [[nodiscard]] std::shared_ptr<plan> share_plan(bool transposed) const {
    return pair_->owners[transposed ? 1 : 0];
  }
  void set_plan(bool transposed, std::shared_ptr<plan> made);
  [[nodiscard]] gossamer_operation operation(bool transposed) const noexcept {
    return index(transposed) == 1 ? GOSSAMER_TRANSPOSED : GOSSAMER_FORWARD;
  }

 private:
  [[nodiscard]] int index(bool transposed) const noexcept { return is_transposed_ != transposed ? 1 : 0; }

  std::shared_ptr<plan_pair> pair_;
  bool is_transposed_ = false;
};

/// The plan for products with the matrix (or its transpose). Calls self._make_plan() if there is none yet.
const plan& plan_for(const matrix_operator& matrix, nanobind::handle self, bool transposed);

void bind_operator(nanobind::module_& module);

}  // namespace gossamer::python
