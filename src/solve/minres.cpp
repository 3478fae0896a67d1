// SPDX-License-Identifier: BSD-3-Clause
// The minimum residual method. An iteration is a product with a dot product and two passes over the vectors.
#include "solve/minres_steps.hpp"
#include "solve/system.hpp"

namespace gossamer::inline v0::solve {
namespace {

struct minres_solver {
  static constexpr std::string_view name = "minres";
  static constexpr std::int64_t iterations_per_row = 5;
  double shift = 0;
  static constexpr int vectors(preconditioning m) { return m == preconditioning::none ? 5 : 7; }
  void set_scalars(scalar_array& s) const {
    s[minres_scalar::shift] = shift;
    s[scalar::absolute] = 0;
  }

  template <preconditioning M, value V, class Space>
  status iterate(engine<V, Space>& on, const system<V, Space>& given, kind_of<M>) const {
    constexpr bool is_plain = M == preconditioning::none;
    const std::int64_t n = given.size;
    // Pairs: each iteration replaces the older vector, and the next one finds them exchanged.
    V* const r[] = {on.vector(), on.vector()};
    V* const w[] = {on.vector(), on.vector()};
    V* const t = on.vector();
    V* const z[] = {is_plain ? r[0] : on.vector(), is_plain ? r[1] : on.vector()};
    const V* const d = given.m.inverse_diagonal();
    const auto apply = [&](int k) {
      if constexpr (M == preconditioning::stored) given.m.apply(on, r[k], z[k]);
    };
    if (begin(on, given, r[0])) {
      apply(0);
      on.run(minres_start<V, M>{.r = r[0], .d = d, .z = z[0], .before = r[1], .w0 = w[0], .w1 = w[1]}, n);
    }
    return on.iterate(given.loop(), [&](int now) {
      const int next = 1 - now;
      on.multiply_and_dot(z[now], t, z[now], minres_scalar::curvature);
      on.run(
          minres_lanczos<V, M>{.t = t, .r = r[now], .z = z[now], .d = d, .next = r[next], .next_z = z[next]},
          n);
      apply(next);
      if constexpr (M == preconditioning::stored) on.run(minres_norm<V>{.r = r[next], .z = z[next]}, n);
      on.run(minres_solution<V>{.z = z[now], .w = w[now], .next = w[next], .x = given.x}, n);
    });
  }

 private:
  /// As system::begin(), for the matrix A - shift I. The tolerance is that of a residual of 0.
  template <value V, class Space>
  bool begin(engine<V, Space>& on, const system<V, Space>& given, V* r) const {
    on.run(
        take_right_side<V>{
            .b = given.b, .r = r, .x = given.x, .zero_initial_guess = given.how.zero_initial_guess},
        given.size);
    if (!given.how.zero_initial_guess) {
      on.multiply(V{-1}, given.x, V{1}, r);
      if (shift != 0) on.run(add_multiple<V>{.x = given.x, .y = r, .factor = shift}, given.size);
    }
    on.run(measure_start<V>{.r = r, .x = given.x, .any_tolerance = false}, given.size);
    return on.read()[scalar::verdict] == 0;
  }
};

}  // namespace

template <value V>
result minres(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
              std::type_identity_t<std::span<V>> x, const options<V>& how) {
  require_finite("minres", "shift", how.shift);
  return naming_out_of_memory(
      "minres", [&] { return run_system_on_host<V>(minres_solver{.shift = how.shift}, a, b, x, how); });
}
template <value V>
result minres(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
              std::type_identity_t<device_span<V>> x, cuda_stream stream,
              const options<V, device_space>& how) {
  require_finite("minres", "shift", how.shift);
  return naming_out_of_memory("minres", [&] {
    return run_system<V, device_space>(minres_solver{.shift = how.shift}, a, b, x, stream, how);
  });
}
GOSSAMER_SOLVER_INSTANCE(minres, float)
GOSSAMER_SOLVER_INSTANCE(minres, double)

}  // namespace gossamer::inline v0::solve
