// SPDX-License-Identifier: BSD-3-Clause
// Chebyshev iteration. An iteration is a product and one pass over the vectors.
#include "solve/chebyshev_steps.hpp"
#include "solve/system.hpp"

namespace gossamer::inline v0::solve {
namespace {

struct chebyshev_solver {
  static constexpr std::string_view name = "chebyshev";
  static constexpr std::int64_t iterations_per_row = 10;
  eigenvalue_bounds bounds;
  static constexpr int vectors(preconditioning m) { return m == preconditioning::stored ? 4 : 3; }
  void set_scalars(scalar_array& s) const {
    s[chebyshev_scalar::center] = bounds.lower + (bounds.upper - bounds.lower) / 2;
    s[chebyshev_scalar::half_width] = (bounds.upper - bounds.lower) / 2;
  }

  template <preconditioning M, value V, class Space>
  status iterate(engine<V, Space>& on, const system<V, Space>& given, kind_of<M>) const {
    const std::int64_t n = given.size;
    V* const r = on.vector();
    V* const direction = on.vector();
    V* const q = on.vector();
    V* const z = M == preconditioning::stored ? on.vector() : r;
    const V* const d = given.m.inverse_diagonal();
    const auto apply = [&] {
      if constexpr (M == preconditioning::stored) given.m.apply(on, r, z);
    };
    if (given.begin(on, r)) {
      apply();
      on.run(chebyshev_start<V, M>{.z = z, .d = d, .direction = direction}, n);
    }
    return on.iterate(given.loop(), [&](int) {
      on.multiply(V{1}, direction, V{0}, q);
      on.run(chebyshev_step<V, M>{.q = q, .d = d, .x = given.x, .r = r, .direction = direction}, n);
      apply();
      if constexpr (M == preconditioning::stored)
        on.run(chebyshev_direction<V>{.z = z, .direction = direction}, n);
    });
  }
};

void check_bounds(const eigenvalue_bounds& bounds) {
  if (!(bounds.lower > 0 && bounds.upper >= bounds.lower && is_finite(bounds.upper)))
    fail(errc::invalid_argument, "chebyshev: bounds {} and {}: not 0 < lower <= upper", bounds.lower,
         bounds.upper);
}

}  // namespace

template <value V>
result chebyshev(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                 std::type_identity_t<std::span<V>> x, const eigenvalue_bounds& bounds,
                 const options<V>& how) {
  check_bounds(bounds);
  return naming_out_of_memory(
      "chebyshev", [&] { return run_system_on_host<V>(chebyshev_solver{.bounds = bounds}, a, b, x, how); });
}
template <value V>
result chebyshev(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                 std::type_identity_t<device_span<V>> x, const eigenvalue_bounds& bounds, cuda_stream stream,
                 const options<V, device_space>& how) {
  check_bounds(bounds);
  return naming_out_of_memory("chebyshev", [&] {
    return run_system<V, device_space>(chebyshev_solver{.bounds = bounds}, a, b, x, stream, how);
  });
}

#define GOSSAMER_INSTANCE(V)                                                                   \
  template GOSSAMER_API result chebyshev(const plan<V>&, std::span<const V>, std::span<V>,     \
                                         const eigenvalue_bounds&, const options<V>&);         \
  template GOSSAMER_API result chebyshev(const plan<V>&, device_span<const V>, device_span<V>, \
                                         const eigenvalue_bounds&, cuda_stream,                \
                                         const options<V, device_space>&);
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
