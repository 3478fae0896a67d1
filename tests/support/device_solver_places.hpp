// SPDX-License-Identifier: BSD-3-Clause
// Solver tests on a CUDA device: with vectors there, and with host vectors that the solver copies.
#pragma once

#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "solve/staged.hpp"
#include "support/device_vectors.hpp"
#include "support/solver_places.hpp"

namespace gossamer::testing_support {

/// The method for linear programs on device vectors.
template <value V>
class pdhg_on_device {
 public:
  pdhg_on_device(const plan<V>& a, const program_vectors<V>& p)
      : cost_(std::span<const V>(p.cost)),
        lower_(std::span<const V>(p.lower)),
        upper_(std::span<const V>(p.upper)),
        row_lower_(std::span<const V>(p.row_lower)),
        row_upper_(std::span<const V>(p.row_upper)),
        loop_(a,
              {.cost = cost_.span(),
               .lower = lower_.span(),
               .upper = upper_.span(),
               .row_lower = row_lower_.span(),
               .row_upper = row_upper_.span()},
              stream_.handle) {}
  solve::pdhg<V, device_space>& loop() { return loop_; }
  void restart(const std::vector<V>& x, const std::vector<V>& y) {
    const device_vector<V> x_on_device{std::span<const V>(x)};
    const device_vector<V> y_on_device{std::span<const V>(y)};
    loop_.restart(x_on_device.span(), y_on_device.span());
  }
  void copy_to(std::vector<V>& x, std::vector<V>& y, solve::pdhg_iterate which) {
    device_vector<V> x_on_device(x.size());
    device_vector<V> y_on_device(y.size());
    loop_.copy_to(x_on_device.span(), y_on_device.span(), which);
    x = x_on_device.fetch();
    y = y_on_device.fetch();
  }

 private:
  stream stream_;
  device_vector<V> cost_;
  device_vector<V> lower_;
  device_vector<V> upper_;
  device_vector<V> row_lower_;
  device_vector<V> row_upper_;
  solve::pdhg<V, device_space> loop_;
};

/// Plans on device 0 and vectors in its memory. The stream is a parameter of the type: the default stream
/// cannot be captured itself.
template <bool DefaultStream>
struct device_place {
  template <value V>
  using pdhg = pdhg_on_device<V>;
  template <value V>
  static plan<V> inspected(const csr_matrix<V, std::int64_t>& a, const inspect_options& how = {}) {
    return inspect(a.view(), cuda{0}, how);
  }
  static std::vector<const char*> formats() { return {"csr", "packed", "sliced_ell"}; }

  /// solver(b, x, stream, options) with device vectors; x is copied back.
  template <value V, class Solver>
  static auto run(const std::vector<V>& b, std::vector<V>& x, const solve::options<V>& how, Solver&& solver) {
    std::span<const V> diagonal;
    if (const auto* const given = std::get_if<solve::jacobi<V>>(&how.preconditioner))
      diagonal = given->diagonal;
    const stream own;
    const device_vector<V> diagonal_on_device(diagonal);
    const device_vector<V> b_on_device{std::span<const V>(b)};
    device_vector<V> x_on_device{std::span<const V>(x)};
    const auto found = solver(b_on_device.span(), x_on_device.span(),
                              DefaultStream ? cuda_stream() : cuda_stream(own.handle),
                              solve::options_on_device<V>(how, diagonal_on_device.span()));
    x = x_on_device.fetch();
    return found;
  }
  template <value V>
  static solve::result system(system_solver which, const plan<V>& a, const std::vector<V>& b,
                              std::vector<V>& x, const solve::options<V>& how = {}) {
    return run<V>(b, x, how, [&](auto... there) { return call<V>(which, a, there...); });
  }
  template <value V>
  static solve::result chebyshev(const plan<V>& a, const std::vector<V>& b, std::vector<V>& x,
                                 const solve::eigenvalue_bounds& bounds, const solve::options<V>& how = {}) {
    return run<V>(b, x, how, [&](auto b_on_device, auto x_on_device, auto at, const auto& there) {
      return solve::chebyshev<V>(a, b_on_device, x_on_device, bounds, at, there);
    });
  }
  template <value V>
  static solve::lsqr_result lsqr(const plan<V>& a, const std::vector<V>& b, std::vector<V>& x,
                                 const solve::lsqr_options& how = {}) {
    return run<V>(b, x, {}, [&](auto b_on_device, auto x_on_device, auto at, const auto&) {
      return solve::lsqr<V>(a, b_on_device, x_on_device, at, how);
    });
  }
  template <value V>
  static solve::power_result power(const plan<V>& a, std::vector<V>& x,
                                   const solve::power_options& how = {}) {
    return run<V>(x, x, {}, [&](auto, auto x_on_device, auto at, const auto&) {
      return solve::power<V>(a, x_on_device, at, how);
    });
  }
};

/// Plans on device 0 and vectors in host memory.
struct staged_on_device : on_host {
  template <value V>
  static plan<V> inspected(const csr_matrix<V, std::int64_t>& a, const inspect_options& how = {}) {
    return inspect(a.view(), cuda{0}, how);
  }
  static std::vector<const char*> formats() { return {"csr", "packed"}; }
};

}  // namespace gossamer::testing_support
