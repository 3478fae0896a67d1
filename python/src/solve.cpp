// SPDX-License-Identifier: BSD-3-Clause
#include "solve.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "capi/any_plan.hpp"
#include "gossamer/solve.hpp"
#include "operator.hpp"
#include "solver_errors.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gossamer::python {
namespace {

/// Where the vectors of a solve are. Each is contiguous and has elements of the matrix's type.
struct solve_vectors {
  std::uintptr_t b;
  std::uintptr_t x;
  bool on_device;
  std::uintptr_t stream;
};

/// Arguments of a solver that are the same for all of them.
struct solve_settings {
  double rtol;
  double atol;
  double shift;  ///< of minres
  std::optional<std::int64_t> maxiter;
  bool zero_initial_guess;
  int check_every;
  std::string kind;         ///< of the preconditioner: "none", "jacobi", "polynomial" or "function"
  std::uintptr_t diagonal;  ///< of jacobi: the address of a diagonal; 0 takes that of the matrix
  int degree;               ///< of polynomial, as the next two
  double lower;
  double upper;
  nb::object apply;     ///< of function
  nb::object callback;  ///< None, or called after each iteration
};

/// Calls the callback, and lets Ctrl-C end a solve: looks for signals at most every tenth of a second.
class iteration_hook {
 public:
  explicit iteration_hook(nb::handle callback) : callback_(callback) {}

  bool operator()(const solve::state&) {
    const auto now = std::chrono::steady_clock::now();
    const bool is_due = now - looked_ >= std::chrono::milliseconds(100);
    if (callback_.is_none() && !is_due) return true;
    const gil_held held;
    if (is_due && PyErr_CheckSignals() != 0) throw nb::python_error();
    looked_ = now;
    if (!callback_.is_none()) callback_();
    return true;
  }

 private:
  nb::handle callback_;  // the caller of the solver keeps it
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
};

template <class V>
constexpr gossamer_type type_of_value = std::is_same_v<V, float> ? GOSSAMER_F32 : GOSSAMER_F64;

template <class V, class Space>
solve::apply_function<V, Space> function_of(nb::handle apply) {
  if constexpr (std::is_same_v<Space, host_space>) {
    return [apply](std::span<const V> r, std::span<V> z) {
      const gil_held held;
      const auto size = static_cast<std::int64_t>(r.size());
      apply(view_of(r.data(), size, type_of_value<V>, nb::none(), false),
            view_of(z.data(), size, type_of_value<V>, nb::none(), true));
    };
  } else {
    return [apply](device_span<const V> r, device_span<V> z, cuda_stream stream) {
      const gil_held held;
      apply(reinterpret_cast<std::uintptr_t>(r.data()), reinterpret_cast<std::uintptr_t>(z.data()),
            reinterpret_cast<std::uintptr_t>(stream.handle()));
    };
  }
}

template <class V, class Space>
solve::preconditioner<V, Space> preconditioner_of(const solve_settings& from, std::int64_t rows) {
  if (from.kind == "jacobi") {
    const auto* const data = reinterpret_cast<const V*>(from.diagonal);
    return solve::jacobi<V, Space>{data == nullptr
                                       ? span_in<const V, Space>{}
                                       : span_in<const V, Space>(data, static_cast<std::size_t>(rows))};
  }
  if (from.kind == "polynomial")
    return solve::polynomial{.degree = from.degree, .lower = from.lower, .upper = from.upper};
  if (from.kind == "function") return function_of<V, Space>(from.apply);
  return std::monostate{};
}

template <class V, class Space>
solve::options<V, Space> options_of(const solve_settings& from, std::int64_t rows, bool on_cpu) {
  solve::options<V, Space> to;
  to.rtol = from.rtol;
  to.atol = from.atol;
  to.shift = from.shift;
  to.maxiter = from.maxiter;
  to.zero_initial_guess = from.zero_initial_guess;
  to.check_every = from.check_every;
  to.preconditioner = preconditioner_of<V, Space>(from, rows);
  // On a GPU, a function after each iteration would keep iterations from running as one graph.
  if (on_cpu || !from.callback.is_none()) to.after_iteration = iteration_hook(from.callback);
  return to;
}

template <class V>
solve::result call_solver(const std::string& solver, const gossamer::plan<V>& p, const solve_vectors& vectors,
                          const solve_settings& settings) {
  const auto size = static_cast<std::size_t>(p.rows());
  const auto* const b = reinterpret_cast<const V*>(vectors.b);
  auto* const x = reinterpret_cast<V*>(vectors.x);
  const bool on_cpu = std::holds_alternative<cpu>(p.where());
  gossamer::workspace scratch = p.make_workspace();
  const auto call = [&]<class Space>(Space, auto... stream) {
    solve::options<V, Space> how = options_of<V, Space>(settings, p.rows(), on_cpu);
    how.scratch = &scratch;
    const span_in<const V, Space> right(b, size);
    const span_in<V, Space> solution(x, size);
    if (solver == "bicgstab") return solve::bicgstab(p, right, solution, stream..., how);
    if (solver == "minres") return solve::minres(p, right, solution, stream..., how);
    return solve::cg(p, right, solution, stream..., how);
  };
  if (!vectors.on_device) return call(host_space{});
  return call(device_space{}, cuda_stream(reinterpret_cast<CUstream_st*>(vectors.stream)));
}

/// Whether the plan multiplies by the matrix in the forward direction, and by its transpose if needed.
bool can_solve(nb::handle_t<matrix_operator> self, bool with_transpose) {
  const auto& matrix = nb::cast<const matrix_operator&>(self);
  return plan_for(matrix, self, false).with_handle([&](const gossamer_plan& used) {
    if ((matrix.operation(false) == GOSSAMER_FORWARD) == used.is_transposed) return false;
    return !with_transpose ||
           std::visit([](const auto& p) { return p.operations() == operation_set::both; }, used.any);
  });
}

/// (status, iterations, norm of the residual) of the solver of this name.
nb::tuple solve_system(const std::string& solver, nb::handle_t<matrix_operator> self, std::uintptr_t b,
                       std::uintptr_t x, bool on_device, std::uintptr_t stream, double rtol, double atol,
                       double shift, std::optional<std::int64_t> maxiter, bool zero_initial_guess,
                       int check_every, const std::string& kind, std::uintptr_t diagonal, int degree,
                       double lower, double upper, nb::object apply, nb::object callback) {
  const auto& matrix = nb::cast<const matrix_operator&>(self);
  const plan& used = plan_for(matrix, self, false);
  if (matrix.device() >= 0 && !on_device) matrix.context().attr("wait_for_update")();
  const solve_vectors vectors{b, x, on_device, stream};
  const solve_settings settings{
      rtol,     atol,   shift, maxiter, zero_initial_guess, check_every,        kind,
      diagonal, degree, lower, upper,   std::move(apply),   std::move(callback)};
  solve::result found;
  without_gil([&] {
    found = used.with_handle([&](const gossamer_plan& of) {
      return std::visit([&](const auto& p) { return call_solver(solver, p, vectors, settings); }, of.any);
    });
  });
  return nb::make_tuple(std::string(solve::name(found.outcome)), found.iterations, found.residual);
}

template <class V>
solve::lsqr_result call_lsqr(const gossamer::plan<V>& p, const solve_vectors& vectors,
                             solve::lsqr_options how) {
  const auto rows = static_cast<std::size_t>(p.rows());
  const auto columns = static_cast<std::size_t>(p.cols());
  const auto* const b = reinterpret_cast<const V*>(vectors.b);
  auto* const x = reinterpret_cast<V*>(vectors.x);
  gossamer::workspace scratch = p.make_workspace();
  how.scratch = &scratch;
  if (!vectors.on_device) return solve::lsqr(p, std::span<const V>(b, rows), std::span<V>(x, columns), how);
  return solve::lsqr(p, device_span<const V>(b, rows), device_span<V>(x, columns),
                     cuda_stream(reinterpret_cast<CUstream_st*>(vectors.stream)), how);
}

/// (status, istop, iterations, r1norm, r2norm, anorm, acond, arnorm, xnorm)
nb::tuple solve_lsqr(nb::handle_t<matrix_operator> self, std::uintptr_t b, std::uintptr_t x, bool on_device,
                     std::uintptr_t stream, double damp, double atol, double btol, double conlim,
                     std::optional<std::int64_t> maxiter, bool zero_initial_guess, int check_every) {
  const auto& matrix = nb::cast<const matrix_operator&>(self);
  const plan& used = plan_for(matrix, self, false);
  if (matrix.device() >= 0 && !on_device) matrix.context().attr("wait_for_update")();
  solve::lsqr_options how;
  how.damp = damp;
  how.atol = atol;
  how.btol = btol;
  how.conlim = conlim;
  how.maxiter = maxiter;
  how.zero_initial_guess = zero_initial_guess;
  how.check_every = check_every;
  const nb::object none = nb::none();
  if (matrix.device() < 0) how.after_iteration = iteration_hook(none);
  solve::lsqr_result found;
  without_gil([&] {
    found = used.with_handle([&](const gossamer_plan& of) {
      return std::visit([&](const auto& p) { return call_lsqr(p, {b, x, on_device, stream}, how); }, of.any);
    });
  });
  return nb::make_tuple(std::string(solve::name(found.outcome)), found.istop, found.iterations, found.r1norm,
                        found.r2norm, found.anorm, found.acond, found.arnorm, found.xnorm);
}

}  // namespace

void bind_solve(nb::module_& module) {
  module.def("can_solve", &can_solve, "matrix"_a, "with_transpose"_a);
  module.def("solve_system", &solve_system, "solver"_a, "matrix"_a, "b"_a, "x"_a, "on_device"_a, "stream"_a,
             "rtol"_a, "atol"_a, "shift"_a, "maxiter"_a.none(), "zero_initial_guess"_a, "check_every"_a,
             "kind"_a, "diagonal"_a, "degree"_a, "lower"_a, "upper"_a, "apply"_a.none(), "callback"_a.none());
  module.def("solve_lsqr", &solve_lsqr, "matrix"_a, "b"_a, "x"_a, "on_device"_a, "stream"_a, "damp"_a,
             "atol"_a, "btol"_a, "conlim"_a, "maxiter"_a.none(), "zero_initial_guess"_a, "check_every"_a);
}

}  // namespace gossamer::python
