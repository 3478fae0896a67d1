// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners as solvers use them: a diagonal inside a step, or a vector z = M r.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "solve/arguments.hpp"
#include "solve/engine.hpp"
#include "solve/polynomial_steps.hpp"
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

/// An upper estimate of the eigenvalues of a symmetric matrix. The start is fixed. Its signs
/// alternate, and 1024 neighbours differ in magnitude.
template <value V, class Space>
double estimate_upper(const plan<V>& a, cuda_stream stream, workspace* scratch) {
  constexpr int iterations = 20;
  constexpr double margin = 1.1;
  host_buffer<V> start(static_cast<std::size_t>(a.rows()));
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = static_cast<V>(1 + static_cast<double>(i * 2654435761U % 1024) / 1024) * (i % 2 == 0 ? 1 : -1);
  const power_options how{.rtol = 0, .maxiter = iterations, .scratch = scratch};
  power_result found;
  if constexpr (std::is_same_v<Space, host_space>) {
    found = power(a, start.span(), how);
  } else {
    const int device = step_device_of(a).number;
    const exec::device_guard guard(device);
    exec::device_buffer<V> x(start.size(), device);
    exec::copy_async(x.data(), start.data(), start.size() * sizeof(V), exec::copy_kind::host_to_device, {});
    exec::synchronize({});
    found = power(a, device_span<V>(x.data(), x.size()), stream, how);
  }
  const double upper = margin * (std::abs(found.eigenvalue) + found.residual);
  return upper > 0 && is_finite(upper) ? upper : 1;  // 1: the solver will meet the same NaN or breakdown
}

template <value V, class Space>
class preconditioner_in_use {
  using functions = apply_function<V, Space>;

 public:
  preconditioner_in_use(std::string_view solver, const plan<V>& a, const preconditioner<V, Space>& chosen,
                        cuda_stream stream, workspace* scratch)
      : a_(a), chosen_(chosen) {
    if (const auto* const given = std::get_if<jacobi<V, Space>>(&chosen_); given != nullptr) {
      if (!given->diagonal.empty())
        require_size(solver, "the diagonal", given->diagonal.size(), a.rows(), "rows");
    }
    if (const auto* const given = std::get_if<polynomial>(&chosen_)) {
      constexpr int most = 1000;
      if (given->degree < 0 || given->degree > most)
        fail(errc::invalid_argument, "{}: degree = {}: not from 0 to {}", solver, given->degree, most);
      if (!(given->upper >= 0 && is_finite(given->upper) && given->lower >= 0 && is_finite(given->lower)))
        fail(errc::invalid_argument, "{}: bounds {} and {}: not numbers of at least 0", solver, given->lower,
             given->upper);
      bounds_.upper = given->upper > 0 ? given->upper : estimate_upper<V, Space>(a, stream, scratch);
      constexpr double ratio = 30;
      bounds_.lower = given->lower > 0 ? given->lower : bounds_.upper / ratio;
      if (bounds_.lower > bounds_.upper)
        fail(errc::invalid_argument, "{}: bounds {} and {}: the lower one is larger", solver, bounds_.lower,
             bounds_.upper);
    }
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
    int count = 0;
    if (kind() == preconditioning::diagonal) count = 1;
    if (std::holds_alternative<polynomial>(chosen_)) count = 3;
    lengths.insert(lengths.end(), static_cast<std::size_t>(count), a_.rows());
  }

  /// Takes its vectors.
  void begin(engine<V, Space>& on) {
    if (const auto* const given = std::get_if<jacobi<V, Space>>(&chosen_)) {
      V* const inverse = on.vector();
      const V* diagonal = given->diagonal.data();
      if (given->diagonal.empty()) {
        on.copy(inverse, diagonal_of(a_).data(), a_.rows());
        diagonal = inverse;
      }
      on.run(invert_diagonal<V>{.diagonal = diagonal, .inverse = inverse}, a_.rows());
      inverse_ = inverse;
    }
    if (std::holds_alternative<polynomial>(chosen_)) {
      direction_ = on.vector();
      rest_ = on.vector();
      product_ = on.vector();
    }
  }

  /// For kind() = diagonal.
  [[nodiscard]] const V* inverse_diagonal() const { return inverse_; }

  /// z = M r, for kind() = stored.
  void apply(engine<V, Space>& on, const V* r, V* z) const {
    if (const auto* const function = std::get_if<functions>(&chosen_))
      on.apply(*function, r, z, a_.rows());
    else
      apply_polynomial(on, std::get<polynomial>(chosen_).degree, r, z);
  }

 private:
  /// Chebyshev iteration from 0 (solve/chebyshev_steps.hpp).
  void apply_polynomial(engine<V, Space>& on, int degree, const V* r, V* z) const {
    const double half_width = (bounds_.upper - bounds_.lower) / 2;
    const double center = bounds_.lower + half_width;
    double quotient = half_width / center;
    on.run(polynomial_start<V>{.r = r, .direction = direction_, .z = z, .factor = 1 / center}, a_.rows());
    for (int k = 0; k < degree; ++k) {
      const double divisor = 2 * center - half_width * quotient;
      const double next = half_width / divisor;
      on.multiply(V{1}, direction_, V{0}, product_);
      on.run(polynomial_term<V>{.q = product_,
                                .r = k == 0 ? r : rest_,
                                .rest = rest_,
                                .direction = direction_,
                                .z = z,
                                .keep = next * quotient,
                                .add = 2 / divisor},
             a_.rows());
      quotient = next;
    }
  }

  const plan<V>& a_;
  const preconditioner<V, Space>& chosen_;
  eigenvalue_bounds bounds_;
  const V* inverse_ = nullptr;
  V* direction_ = nullptr;
  V* rest_ = nullptr;
  V* product_ = nullptr;
};

}  // namespace gossamer::inline v0::solve
