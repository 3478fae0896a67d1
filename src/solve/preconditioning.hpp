// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners as solvers use them: a diagonal inside a step, or a vector z = M r.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "solve/arguments.hpp"
#include "solve/engine.hpp"
#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

/// The diagonal of A in host memory. Duplicates are added in the order of plan::to_csr().
template <value V>
host_buffer<V> diagonal_of(const plan<V>& a) {
  const csr_matrix<V, std::int64_t> stored = a.to_csr();
  const auto view = stored.view();
  host_buffer<V> diagonal(static_cast<std::size_t>(a.rows()));
  core::parallel_for(a.rows(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      V sum{0};
      for (std::int64_t k = view.row_ptr[i]; k < view.row_ptr[i + 1]; ++k)
        if (view.col[k] == i) sum += view.val[k];
      diagonal[static_cast<std::size_t>(i)] = sum;
    }
  });
  return diagonal;
}

template <value V, class Space>
class preconditioner_in_use {
  using functions = apply_function<V, Space>;

 public:
  preconditioner_in_use(std::string_view solver, const plan<V>& a, const preconditioner<V, Space>& chosen)
      : a_(a), chosen_(chosen) {
    if (const auto* const given = std::get_if<jacobi<V, Space>>(&chosen_); given != nullptr) {
      if (!given->diagonal.empty())
        require_size(solver, "the diagonal", given->diagonal.size(), a.rows(), "rows");
    }
    if (std::holds_alternative<polynomial>(chosen_))
      fail(errc::unsupported, "{}: polynomial preconditioners are not implemented", solver);
    if (const auto* const function = std::get_if<functions>(&chosen_); function != nullptr && !*function)
      fail(errc::invalid_argument, "{}: the preconditioner is an empty function", solver);
  }

  [[nodiscard]] preconditioning kind() const {
    if (std::holds_alternative<std::monostate>(chosen_)) return preconditioning::none;
    if (std::holds_alternative<jacobi<V, Space>>(chosen_)) return preconditioning::diagonal;
    return preconditioning::stored;
  }
  /// A function of the caller may do what graphs cannot capture.
  [[nodiscard]] bool may_record() const { return !std::holds_alternative<functions>(chosen_); }

  /// Adds the lengths of its vectors.
  void add_lengths(std::vector<std::int64_t>& lengths) const {
    if (kind() == preconditioning::diagonal) lengths.push_back(a_.rows());
  }

  /// Takes its vectors.
  void begin(engine<V, Space>& on) {
    if (const auto* const given = std::get_if<jacobi<V, Space>>(&chosen_)) {
      V* const inverse = on.vector();
      const V* diagonal = given->diagonal.data();
      if (given->diagonal.empty()) {
        on.copy_from_host(inverse, diagonal_of(a_).data(), a_.rows());
        diagonal = inverse;
      }
      on.run(invert_diagonal<V>{.diagonal = diagonal, .inverse = inverse}, a_.rows());
      inverse_ = inverse;
    }
  }

  /// For kind() = diagonal.
  [[nodiscard]] const V* inverse_diagonal() const { return inverse_; }

  /// z = M r, for kind() = stored.
  void apply(engine<V, Space>& on, const V* r, V* z) const {
    on.apply(std::get<functions>(chosen_), r, z, a_.rows());
  }

 private:
  const plan<V>& a_;
  const preconditioner<V, Space>& chosen_;
  const V* inverse_ = nullptr;
};

}  // namespace gossamer::inline v0::solve
