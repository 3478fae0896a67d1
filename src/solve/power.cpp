// SPDX-License-Identifier: BSD-3-Clause
// Power iteration. An iteration is a product with dot products and two passes over the vectors.
#include "core/out_of_memory.hpp"
#include "solve/arguments.hpp"
#include "solve/power_steps.hpp"
#include "solve/staged.hpp"

namespace gossamer::inline v0::solve {
namespace {

constexpr std::int64_t power_iterations_per_row = 10;

template <value V>
scalar_array begin_power(const plan<V>& a, std::size_t size, const power_options& how) {
  require_square("power", a);
  require_size("power", "x", size, a.cols(), "columns");
  require_not_negative("power", "rtol", how.rtol);
  require_not_negative("power", "atol", how.atol);
  check_interval("power", how.check_every);
  scalar_array s{};
  s[scalar::limit] = iteration_limit("power", how.maxiter, power_iterations_per_row * a.rows());
  s[scalar::relative] = how.rtol;
  s[scalar::absolute] = how.atol;
  return s;
}

template <value V, class Space>
power_result run_power(const plan<V>& a, span_in<V, Space> given, cuda_stream stream,
                       const power_options& how) {
  const std::int64_t n = a.rows();
  engine<V, Space> on(a, begin_power(a, given.size(), how),
                      {.scratch = how.scratch, .stream = stream, .lengths = {n}});
  V* const q = on.vector();
  V* const x = given.data();
  on.run(power_start<V>{.x = x}, n);
  on.run(power_normalize<V>{.x = x}, n);
  const status outcome = on.iterate(loop_setup(how.check_every, how.after_iteration), [&](int) {
    on.multiply_and_two_dots(x, q, x, power_scalar::x_q);
    on.run(power_residual<V>{.q = q, .x = x}, n);
    on.run(power_next<V>{.q = q, .x = x}, n);
  });
  const scalar_array& s = on.read();
  return {.outcome = outcome,
          .iterations = state_of(s).iterations,
          .eigenvalue = s[power_scalar::eigenvalue],
          .residual = s[scalar::residual]};
}

}  // namespace

template <value V>
power_result power(const plan<V>& a, std::type_identity_t<std::span<V>> x, const power_options& how) {
  return naming_out_of_memory("power", [&] {
    if (!solves_on_one_gpu(a)) return run_power<V, host_space>(a, x, {}, how);
    (void)begin_power(a, x.size(), how);
    return solve_copied<V>(a, {}, x, true, how, [&](auto, auto x_on_device, auto stream, const auto& there) {
      return run_power<V, device_space>(a, x_on_device, stream, there);
    });
  });
}
template <value V>
power_result power(const plan<V>& a, std::type_identity_t<device_span<V>> x, cuda_stream stream,
                   const power_options& how) {
  return naming_out_of_memory("power", [&] { return run_power<V, device_space>(a, x, stream, how); });
}

#define GOSSAMER_INSTANCE(V)                                                                    \
  template GOSSAMER_API power_result power(const plan<V>&, std::span<V>, const power_options&); \
  template GOSSAMER_API power_result power(const plan<V>&, device_span<V>, cuda_stream, const power_options&);
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0::solve
