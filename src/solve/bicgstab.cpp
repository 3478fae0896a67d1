// SPDX-License-Identifier: BSD-3-Clause
// Stabilized biconjugate gradients. An iteration is two products with dot products and three passes.
#include "solve/bicgstab_steps.hpp"
#include "solve/system.hpp"

namespace gossamer::inline v0::solve {
namespace {

struct bicgstab_solver {
  static constexpr std::string_view name = "bicgstab";
  static constexpr std::int64_t iterations_per_row = 10;
  static constexpr int vectors(preconditioning m) { return m == preconditioning::none ? 5 : 7; }
  void set_scalars(scalar_array&) const {}

  template <preconditioning M, value V, class Space>
  status iterate(engine<V, Space>& on, const system<V, Space>& given, kind_of<M>) const {
    constexpr bool is_plain = M == preconditioning::none;
    const std::int64_t n = given.size;
    V* const r = on.vector();  // also s
    V* const r0 = on.vector();
    V* const p = on.vector();
    V* const v = on.vector();
    V* const t = on.vector();
    V* const mp = is_plain ? p : on.vector();
    V* const ms = is_plain ? r : on.vector();
    const V* const d = given.m.inverse_diagonal();
    const auto apply = [&](const V* from, V* to) {
      if constexpr (M == preconditioning::stored) given.m.apply(on, from, to);
    };
    if (given.begin(on, r)) {
      on.run(bicgstab_start<V, M>{.r = r, .d = d, .r0 = r0, .p = p, .mp = mp}, n);
      apply(p, mp);
    }
    return on.iterate(given.loop(), [&](int) {
      on.multiply_and_dot(mp, v, r0, bicgstab_scalar::shadow);
      on.run(bicgstab_half<V, M>{.v = v, .d = d, .r = r, .ms = ms}, n);
      apply(r, ms);
      on.multiply_and_two_dots(ms, t, r, bicgstab_scalar::t_s);
      on.run(bicgstab_solution<V>{.mp = mp, .ms = ms, .t = t, .r0 = r0, .r = r, .x = given.x}, n);
      on.run(bicgstab_direction<V, M>{.r = r, .v = v, .d = d, .p = p, .mp = mp}, n);
      apply(p, mp);
    });
  }
};

}  // namespace

GOSSAMER_SOLVER(bicgstab, bicgstab_solver)

}  // namespace gossamer::inline v0::solve
