// SPDX-License-Identifier: BSD-3-Clause
// The common part of solvers for square systems: checks of arguments, the choice of the engine, the
// preconditioner, and the initial residual.
//
// A solver is a struct with
//   static constexpr std::string_view name
//   static constexpr std::int64_t iterations_per_row     default of maxiter
//   static constexpr int vectors(preconditioning)        how many it takes from the engine
//   void set_scalars(scalar_array&) const                writes scalars of its own
//   status iterate<M>(engine, system) const              runs to the end
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "core/out_of_memory.hpp"
#include "solve/arguments.hpp"
#include "solve/preconditioning.hpp"
#include "solve/staged.hpp"
#include "solve/start_steps.hpp"

namespace gossamer::inline v0::solve {

/// A preconditioning as a type.
template <preconditioning M>
using kind_of = std::integral_constant<preconditioning, M>;

template <value V, class Space>
struct system {
  const plan<V>& a;
  std::int64_t size;
  const V* b;
  V* x;
  preconditioner_in_use<V, Space>& m;
  const options<V, Space>& how;

  /// r = b - A x, its norm, the tolerance, and the verdict if there is nothing to do. Returns whether there
  /// is no verdict.
  bool begin(engine<V, Space>& on, V* r) const {
    on.run(take_right_side<V>{.b = b, .r = r, .x = x, .zero_initial_guess = how.zero_initial_guess}, size);
    if (!how.zero_initial_guess) on.multiply(V{-1}, x, V{1}, r);
    on.run(measure_start<V>{.r = r, .x = x}, size);
    return on.read()[scalar::verdict] == 0;
  }
  [[nodiscard]] loop_setup loop() const { return {how.check_every, how.after_iteration}; }
};

template <value V, class Space, class Solver>
result run_system(const Solver& solver, const plan<V>& a, span_in<const V, Space> b, span_in<V, Space> x,
                  cuda_stream stream, const options<V, Space>& how) {
  scalar_array scalars =
      begin_system<V, Space>(Solver::name, a, b, x, how, Solver::iterations_per_row * a.rows());
  solver.set_scalars(scalars);
  preconditioner_in_use<V, Space> m(Solver::name, a, how.preconditioner, stream, how.scratch);
  engine_setup setup{
      .scratch = how.scratch,
      .stream = stream,
      .lengths = std::vector<std::int64_t>(static_cast<std::size_t>(Solver::vectors(m.kind())), a.rows()),
      .may_record = m.may_record()};
  m.add_lengths(setup.lengths);
  engine<V, Space> on(a, scalars, std::move(setup));
  const system<V, Space> given{.a = a, .size = a.rows(), .b = b.data(), .x = x.data(), .m = m, .how = how};
  m.begin(on);
  const status outcome = [&] {
    switch (m.kind()) {
      case preconditioning::none:
        return solver.iterate(on, given, kind_of<preconditioning::none>());
      case preconditioning::diagonal:
        return solver.iterate(on, given, kind_of<preconditioning::diagonal>());
      default:
        return solver.iterate(on, given, kind_of<preconditioning::stored>());
    }
  }();
  const state last = state_of(on.read());
  return {.outcome = outcome, .iterations = last.iterations, .residual = last.residual};
}

/// With host vectors.
template <value V, class Solver>
result run_system_on_host(const Solver& solver, const plan<V>& a, std::span<const V> b, std::span<V> x,
                          const options<V>& how) {
  if (!solves_on_one_gpu(a) || std::holds_alternative<apply_function<V>>(how.preconditioner))
    return run_system<V, host_space>(solver, a, b, x, {}, how);
  (void)begin_system<V, host_space>(Solver::name, a, b, x, how, 0);
  return solve_copied<V>(a, b, x, !how.zero_initial_guess, how,
                         [&](device_span<const V> b_on_device, device_span<V> x_on_device, cuda_stream stream,
                             const options<V>& there) {
                           std::span<const V> diagonal;
                           if (const auto* const given = std::get_if<jacobi<V>>(&how.preconditioner))
                             diagonal = given->diagonal;
                           staged_vector<V> copy(diagonal, std::get<cuda>(a.where()).device, stream, true);
                           return run_system<V, device_space>(solver, a, b_on_device, x_on_device, stream,
                                                              options_on_device<V>(there, copy.span()));
                         });
}

/// Defines the two public functions of a solver.
#define GOSSAMER_SOLVER(function, solver)                                                                  \
  template <value V>                                                                                       \
  result function(const plan<V>& a, std::type_identity_t<std::span<const V>> b,                            \
                  std::type_identity_t<std::span<V>> x, const options<V>& how) {                           \
    return naming_out_of_memory(#function, [&] { return run_system_on_host<V>(solver{}, a, b, x, how); }); \
  }                                                                                                        \
  template <value V>                                                                                       \
  result function(const plan<V>& a, std::type_identity_t<device_span<const V>> b,                          \
                  std::type_identity_t<device_span<V>> x, cuda_stream stream,                              \
                  const options<V, device_space>& how) {                                                   \
    return naming_out_of_memory(                                                                           \
        #function, [&] { return run_system<V, device_space>(solver{}, a, b, x, stream, how); });           \
  }                                                                                                        \
  GOSSAMER_SOLVER_INSTANCE(function, float)                                                                \
  GOSSAMER_SOLVER_INSTANCE(function, double)
#define GOSSAMER_SOLVER_INSTANCE(function, V)                                                              \
  template GOSSAMER_API result function(const plan<V>&, std::span<const V>, std::span<V>,                  \
                                        const options<V>&);                                                \
  template GOSSAMER_API result function(const plan<V>&, device_span<const V>, device_span<V>, cuda_stream, \
                                        const options<V, device_space>&);

}  // namespace gossamer::inline v0::solve
