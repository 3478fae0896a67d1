// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients. An iteration is a product with a dot product and two passes over the vectors.
#include "solve/cg_steps.hpp"
#include "solve/system.hpp"

namespace gossamer::inline v0::solve {
namespace {

struct cg_solver {
  static constexpr std::string_view name = "cg";
  static constexpr std::int64_t iterations_per_row = 10;
  static constexpr int vectors(preconditioning m) { return m == preconditioning::stored ? 4 : 3; }
  void set_scalars(scalar_array&) const {}

  template <preconditioning M, value V, class Space>
  status iterate(engine<V, Space>& on, const system<V, Space>& given, kind_of<M>) const {
    const std::int64_t n = given.size;
    V* const r = on.vector();
    V* const p = on.vector();
    V* const q = on.vector();
    V* const z = M == preconditioning::stored ? on.vector() : r;
    const V* const d = given.m.inverse_diagonal();
    const auto apply = [&] {
      if constexpr (M == preconditioning::stored) given.m.apply(on, r, z);
    };
    if (given.begin(on, r)) {
      apply();
      on.run(cg_start<V, M>{.r = r, .z = M == preconditioning::diagonal ? d : z, .p = p}, n);
    }
    return on.iterate(given.loop(), [&](int) {
      on.multiply_and_dot(p, q, p, cg_scalar::curvature);
      on.run(cg_residual<V, M>{.q = q, .d = d, .r = r}, n);
      apply();
      if constexpr (M == preconditioning::stored) on.run(cg_rho<V>{.r = r, .z = z}, n);
      on.run(cg_direction<V, M>{.z = z, .d = d, .x = given.x, .p = p}, n);
    });
  }
};

}  // namespace

GOSSAMER_SOLVER(cg, cg_solver)

}  // namespace gossamer::inline v0::solve
