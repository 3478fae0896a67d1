// SPDX-License-Identifier: BSD-3-Clause
// LSQR. An iteration is a product by A, one by its transpose, and three passes over the vectors.
#include <utility>

#include "core/out_of_memory.hpp"
#include "solve/arguments.hpp"
#include "solve/lsqr_steps.hpp"
#include "solve/staged.hpp"

namespace gossamer::inline v0::solve {
namespace {

template <value V, class Space>
scalar_array begin_lsqr(const plan<V>& a, span_in<const V, Space> b, span_in<V, Space> x,
                        const lsqr_options& how) {
  if (a.operations() != operation_set::both)
    fail(errc::unsupported, "lsqr: the plan was inspected with operations = {}; it needs both",
         gossamer::name(a.operations()));
  require_size("lsqr", "b", b.size(), a.rows(), "rows");
  require_size("lsqr", "x", x.size(), a.cols(), "columns");
  require_apart("lsqr", b.data(), b.size(), std::as_const(x).data(), x.size());
  require_not_negative("lsqr", "damp", how.damp);
  require_finite("lsqr", "damp", how.damp);
  require_not_negative("lsqr", "atol", how.atol);
  require_not_negative("lsqr", "btol", how.btol);
  require_not_negative("lsqr", "conlim", how.conlim);
  check_interval("lsqr", how.check_every);
  scalar_array s{};
  s[scalar::limit] = iteration_limit("lsqr", how.maxiter, 2 * a.cols());
  s[lsqr_scalar::damp] = how.damp;
  s[lsqr_scalar::atol] = how.atol;
  s[lsqr_scalar::btol] = how.btol;
  s[lsqr_scalar::ctol] = how.conlim > 0 ? 1 / how.conlim : 0;
  return s;
}

template <value V, class Space>
status iterate_lsqr(engine<V, Space>& on, const plan<V>& a, const V* b, V* x, const lsqr_options& how) {
  const std::int64_t rows = a.rows();
  const std::int64_t cols = a.cols();
  V* const u = on.vector();
  V* const t_rows = on.vector();
  V* const v = on.vector();
  V* const w = on.vector();
  V* const t_cols = on.vector();
  if (how.zero_initial_guess) on.run(set_zero<V>{.x = x}, cols);
  on.run(take_right_side<V>{.b = b, .r = u, .x = nullptr, .zero_initial_guess = false}, rows);
  on.run(set_zero<V>{.x = x, .if_right_is_zero = true}, cols);
  if (!how.zero_initial_guess) on.multiply(V{-1}, x, V{1}, u);
  on.run(lsqr_first_left<V>{.u = u}, rows);
  if (on.read()[scalar::verdict] == 0) {
    on.multiply_transposed(V{1}, u, V{0}, t_cols);
    on.run(lsqr_first_right<V>{.t = t_cols, .v = v}, cols);
    on.run(lsqr_first_direction<V>{.v = v, .w = w}, cols);
  }
  return on.iterate(loop_setup(how.check_every, how.after_iteration), [&](int) {
    on.multiply(V{1}, v, V{0}, t_rows);
    on.run(lsqr_left<V>{.t = t_rows, .u = u}, rows);
    on.multiply_transposed(V{1}, u, V{0}, t_cols);
    on.run(lsqr_right<V>{.t = t_cols, .v = v}, cols);
    on.run(lsqr_solution<V>{.v = v, .w = w, .x = x}, cols);
  });
}

template <value V, class Space>
lsqr_result run_lsqr(const plan<V>& a, span_in<const V, Space> b, span_in<V, Space> x, cuda_stream stream,
                     const lsqr_options& how) {
  const scalar_array scalars = begin_lsqr<V, Space>(a, b, x, how);
  engine<V, Space> on(a, scalars,
                      {.scratch = how.scratch,
                       .stream = stream,
                       .lengths = {a.rows(), a.rows(), a.cols(), a.cols(), a.cols()}});
  const status outcome = iterate_lsqr(on, a, b.data(), x.data(), how);
  const scalar_array& s = on.read();
  return {.outcome = outcome,
          .istop = static_cast<int>(s[lsqr_scalar::istop]),
          .iterations = state_of(s).iterations,
          .r1norm = s[lsqr_scalar::r1norm],
          .r2norm = s[lsqr_scalar::r2norm],
          .anorm = s[lsqr_scalar::anorm],
          .acond = s[lsqr_scalar::acond],
          .arnorm = s[lsqr_scalar::arnorm],
          .xnorm = s[lsqr_scalar::xnorm]};
}

}  // namespace

template <value V>
lsqr_result lsqr(const plan<V>& a, std::type_identity_t<std::span<const V>> b,
                 std::type_identity_t<std::span<V>> x, const lsqr_options& how) {
  return naming_out_of_memory("lsqr", [&] {
    if (!solves_on_one_gpu(a)) return run_lsqr<V, host_space>(a, b, x, {}, how);
    (void)begin_lsqr<V, host_space>(a, b, x, how);
    return solve_copied<V>(a, b, x, !how.zero_initial_guess, how,
                           [&](auto b_on_device, auto x_on_device, auto stream, const auto& there) {
                             return run_lsqr<V, device_space>(a, b_on_device, x_on_device, stream, there);
                           });
  });
}
template <value V>
lsqr_result lsqr(const plan<V>& a, std::type_identity_t<device_span<const V>> b,
                 std::type_identity_t<device_span<V>> x, cuda_stream stream, const lsqr_options& how) {
  return naming_out_of_memory("lsqr", [&] { return run_lsqr<V, device_space>(a, b, x, stream, how); });
}

#define GOSSAMER_INSTANCE(V)                                                                                \
  template GOSSAMER_API lsqr_result lsqr(const plan<V>&, std::span<const V>, std::span<V>,                  \
                                         const lsqr_options&);                                              \
  template GOSSAMER_API lsqr_result lsqr(const plan<V>&, device_span<const V>, device_span<V>, cuda_stream, \
                                         const lsqr_options&);
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
