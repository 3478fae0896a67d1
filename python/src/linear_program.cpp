// SPDX-License-Identifier: BSD-3-Clause
#include "linear_program.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "capi/any_plan.hpp"
#include "operator.hpp"
#include "solve/linear_program_loop.hpp"
#include "solver_errors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gossamer::python {
namespace {

/// The addresses of the vectors of a scaled linear program, and of the start.
struct program_addresses {
  std::uintptr_t c, lb, ub, lower, upper, rows, columns, x, y;
};

/// The iteration of a linear program. The Python object that makes it keeps the vectors.
class linear_program_iteration {
  template <class Call>
  auto visit(Call&& call) {
    return std::visit([&](auto& iteration) { return call(*iteration); }, iteration_);
  }

 public:
  linear_program_iteration(nb::handle_t<matrix_operator> matrix, const program_addresses& at, bool on_device,
                           std::uintptr_t stream, const solve::program_setting& setting)
      : owner_(nb::borrow(matrix)) {
    const auto& of = nb::cast<const matrix_operator&>(matrix);
    const plan& used = plan_for(of, matrix, false);
    without_gil([&] {
      used.with_handle([&](const gossamer_plan& handle) {
        const auto* const p = std::get_if<gossamer::plan<double>>(&handle.any);
        if (p == nullptr) throw error(errc::unsupported, "pdhg: the matrix is not float64");
        scratch_.emplace(p->make_workspace());
        if (on_device)
          begin<device_space>(*p, at, setting, reinterpret_cast<CUstream_st*>(stream));
        else
          begin<host_space>(*p, at, setting, {});
      });
    });
  }

  nb::tuple advance(std::int64_t rounds, int steps) {
    solve::program_state now;
    without_gil([&] { now = visit([&](auto& iteration) { return iteration.advance(rounds, steps); }); });
    return nb::make_tuple(std::string(solve::name(now.outcome)), now.steps, now.restarts);
  }

  void copy_to(std::uintptr_t x, std::uintptr_t y, std::uintptr_t moved_x, std::uintptr_t moved_y) {
    without_gil([&] {
      visit([&]<class Space>(solve::linear_program_loop<Space>& iteration) {
        const auto span = [](std::uintptr_t address, std::size_t size) {
          return span_in<double, Space>(reinterpret_cast<double*>(address), size);
        };
        iteration.copy_to(span(x, columns_), span(y, rows_), span(moved_x, columns_), span(moved_y, rows_));
      });
    });
  }

 private:
  template <class Space>
  void begin(const gossamer::plan<double>& p, const program_addresses& at,
             const solve::program_setting& setting, cuda_stream stream) {
    rows_ = static_cast<std::size_t>(p.rows());
    columns_ = static_cast<std::size_t>(p.cols());
    const auto span = [](std::uintptr_t address, std::size_t size) {
      return span_in<const double, Space>(reinterpret_cast<const double*>(address), size);
    };
    const solve::scaled_program<Space> program{.program = {.cost = span(at.c, columns_),
                                                           .lower = span(at.lower, columns_),
                                                           .upper = span(at.upper, columns_),
                                                           .row_lower = span(at.lb, rows_),
                                                           .row_upper = span(at.ub, rows_)},
                                               .rows = span(at.rows, rows_),
                                               .columns = span(at.columns, columns_)};
    iteration_ = std::make_unique<solve::linear_program_loop<Space>>(
        p, program, setting, span(at.x, columns_), span(at.y, rows_), stream, &*scratch_);
  }

  nb::object owner_;  // of the plan
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::optional<gossamer::workspace> scratch_;
  std::variant<std::unique_ptr<solve::linear_program_loop<host_space>>,
               std::unique_ptr<solve::linear_program_loop<device_space>>>
      iteration_;
};

}  // namespace

void bind_linear_program(nb::module_& module) {
  nb::class_<linear_program_iteration>(module, "LinearProgramIteration",
                                       "The iteration of a linear program, on vectors at addresses.")
      .def(
          "__init__",
          [](linear_program_iteration* self, nb::handle_t<matrix_operator> matrix, std::uintptr_t c,
             std::uintptr_t lb, std::uintptr_t ub, std::uintptr_t lower, std::uintptr_t upper,
             std::uintptr_t rows, std::uintptr_t columns, std::uintptr_t x, std::uintptr_t y, bool on_device,
             std::uintptr_t stream, double norm, double weight, double rtol, double size_of_sides,
             double size_of_c) {
            new (self)
                linear_program_iteration(matrix, {c, lb, ub, lower, upper, rows, columns, x, y}, on_device,
                                         stream, {norm, weight, rtol, size_of_sides, size_of_c});
          },
          "matrix"_a, "c"_a, "lb"_a, "ub"_a, "lower"_a, "upper"_a, "rows"_a, "columns"_a, "x"_a, "y"_a,
          "on_device"_a, "stream"_a, "norm"_a, "weight"_a, "rtol"_a, "size_of_sides"_a, "size_of_c"_a)
      .def("advance", &linear_program_iteration::advance, "rounds"_a, "steps"_a)
      .def("copy_to", &linear_program_iteration::copy_to, "x"_a, "y"_a, "moved_x"_a, "moved_y"_a);
}

}  // namespace gossamer::python
