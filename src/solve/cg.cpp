// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients. An iteration is a product with a dot product and two passes over the vectors.
#include <vector>

#include "solve/arguments.hpp"
#include "solve/cg_steps.hpp"
#include "solve/preconditioning.hpp"
#include "solve/staged.hpp"

namespace gossamer::inline v0::solve {
namespace {

constexpr std::int64_t cg_iterations_per_row = 10;

template <preconditioning M, value V, class Space>
result iterate_cg(engine<V, Space>& on, const plan<V>& a, const V* b, V* x,
                  preconditioner_in_use<V, Space>& m, const options<V, Space>& how) {
  const std::int64_t n = a.rows();
  V* const r = on.vector();
  V* const p = on.vector();
  V* const q = on.vector();
  V* const z = M == preconditioning::stored ? on.vector() : r;
  m.begin(on);
  const V* const d = m.inverse_diagonal();
  const auto apply = [&] {
    if constexpr (M == preconditioning::stored) m.apply(on, r, z);
  };

  on.run(take_right_side<V>{.b = b, .r = r, .x = x, .zero_start = how.zero_start}, n);
  if (!how.zero_start) on.multiply(V{-1}, x, V{1}, r);
  on.run(measure_start<V>{.r = r, .x = x}, n);
  const loop_setup loop(how.check_every, how.after_iteration);
  if (on.read()[scalar::verdict] == 0) {
    apply();
    on.run(cg_start<V, M>{.r = r, .z = M == preconditioning::diagonal ? d : z, .p = p}, n);
  }
  const status outcome = on.iterate(loop, [&](int) {
    on.multiply_and_dot(p, q, cg_scalar::curvature);
    on.run(cg_residual<V, M>{.q = q, .d = d, .r = r}, n);
    apply();
    if constexpr (M == preconditioning::stored) on.run(cg_rho<V>{.r = r, .z = z}, n);
    on.run(cg_direction<V, M>{.z = z, .d = d, .x = x, .p = p}, n);
  });
  const state last = state_of(on.read());
  return {.outcome = outcome, .iterations = last.iterations, .residual = last.residual};
}

template <value V, class Space>
result run_cg(const plan<V>& a, span_in<const V, Space> b, span_in<V, Space> x, cuda_stream stream,
              const options<V, Space>& how) {
  const scalar_array scalars = begin_system<V, Space>("cg", a, b, x, how, cg_iterations_per_row * a.rows());
  preconditioner_in_use<V, Space> m("cg", a, how.precondition);
  engine_setup setup{.scratch = how.scratch,
                     .stream = stream,
                     .lengths = std::vector<std::int64_t>(3, a.rows()),
                     .may_record = m.may_record()};
  if (m.kind() == preconditioning::stored) setup.lengths.push_back(a.rows());
  m.add_lengths(setup.lengths);
  engine<V, Space> on(a, scalars, std::move(setup));
  switch (m.kind()) {
    case preconditioning::none:
      return iterate_cg<preconditioning::none>(on, a, b.data(), x.data(), m, how);
    case preconditioning::diagonal:
      return iterate_cg<preconditioning::diagonal>(on, a, b.data(), x.data(), m, how);
    default:
      return iterate_cg<preconditioning::stored>(on, a, b.data(), x.data(), m, how);
  }
}

}  // namespace

template <value V>
result cg(const plan<V>& a, std::type_identity_t<std::span<const V>> b, std::type_identity_t<std::span<V>> x,
          const options<V>& how) {
  if (!solves_on_one_gpu(a) || std::holds_alternative<apply_function<V>>(how.precondition))
    return run_cg<V, host_space>(a, b, x, {}, how);
  (void)begin_system<V, host_space>("cg", a, b, x, how, 0);
  return solve_staged<V>(a, b, x, how, [&](auto... there) { return cg<V>(a, there...); });
}
template <value V>
result cg(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
          std::type_identity_t<device_span<V>> x, cuda_stream stream, const options<V, device_space>& how) {
  return run_cg<V, device_space>(a, b, x, stream, how);
}

#define GOSSAMER_INSTANCE(V)                                                                            \
  template GOSSAMER_API result cg(const plan<V>&, std::span<const V>, std::span<V>, const options<V>&); \
  template GOSSAMER_API result cg(const plan<V>&, device_span<const V>, device_span<V>, cuda_stream,    \
                                  const options<V, device_space>&);
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
