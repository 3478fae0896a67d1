// SPDX-License-Identifier: BSD-3-Clause
// A step is two products and two passes over the vectors. A round costs six further products.
#include "solve/linear_program_loop.hpp"

#include <vector>

#include "solve/arguments.hpp"
#include "solve/engine.hpp"
#include "solve/linear_program_steps.hpp"

namespace gossamer::inline v0::solve {
namespace {

template <class Space>
scalar_array begin_program(const plan<double>& a, const scaled_program<Space>& of,
                           const program_setting& setting) {
  if (a.operations() != operation_set::both)
    fail(errc::unsupported, "linear program: the plan was inspected with operations = {}; it needs both",
         gossamer::name(a.operations()));
  constexpr std::string_view who = "linear program";
  require_size(who, "row_lower", of.program.row_lower.size(), a.rows(), "rows");
  require_size(who, "row_upper", of.program.row_upper.size(), a.rows(), "rows");
  require_size(who, "rows", of.rows.size(), a.rows(), "rows");
  require_size(who, "cost", of.program.cost.size(), a.cols(), "columns");
  require_size(who, "lower", of.program.lower.size(), a.cols(), "columns");
  require_size(who, "upper", of.program.upper.size(), a.cols(), "columns");
  require_size(who, "columns", of.columns.size(), a.cols(), "columns");
  require_not_negative(who, "rtol", setting.rtol);
  scalar_array s{};
  s[scalar::relative] = setting.rtol;
  s[lp_scalar::norm] = setting.norm;
  s[lp_scalar::weight] = setting.weight;
  s[lp_scalar::size_of_sides] = setting.size_of_sides;
  s[lp_scalar::size_of_c] = setting.size_of_c;
  return s;
}

engine_setup program_setup(const plan<double>& a, cuda_stream stream, workspace* scratch) {
  std::vector<std::int64_t> lengths(6, a.cols());
  lengths.insert(lengths.end(), 5, a.rows());
  return {.scratch = scratch, .stream = stream, .lengths = std::move(lengths)};
}

}  // namespace

template <class Space>
struct linear_program_loop<Space>::members {
  members(const plan<double>& plan_of, const scaled_program<Space>& program, const program_setting& setting,
          cuda_stream stream, workspace* scratch)
      : a(plan_of),
        of(program),
        on(plan_of, begin_program<Space>(plan_of, program, setting), program_setup(plan_of, stream, scratch)),
        x(on.vector()),
        x_anchor(on.vector()),
        reflected(on.vector()),
        in_columns(on.vector()),
        x_stepped(on.vector()),
        x_moved(on.vector()),
        y(on.vector()),
        y_anchor(on.vector()),
        in_rows(on.vector()),
        y_stepped(on.vector()),
        y_moved(on.vector()) {}

  template <bool Keeps>
  void step(int number) {
    const lp_coefficients by{.number = number};
    on.multiply_transposed(1, y, 0, in_columns);
    on.run(lp_primal<Keeps>{.by = by,
                            .product = in_columns,
                            .c = of.program.cost.data(),
                            .lower = of.program.lower.data(),
                            .upper = of.program.upper.data(),
                            .anchor = x_anchor,
                            .x = x,
                            .reflected = reflected,
                            .stepped = x_stepped,
                            .moved = x_moved},
           a.cols());
    on.multiply(1, reflected, 0, in_rows);
    on.run(lp_dual<Keeps>{.by = by,
                          .product = in_rows,
                          .lb = of.program.row_lower.data(),
                          .ub = of.program.row_upper.data(),
                          .anchor = y_anchor,
                          .y = y,
                          .stepped = y_stepped,
                          .moved = y_moved},
           a.rows());
    if constexpr (Keeps) {
      on.multiply(1, x_moved, 0, in_rows);
      on.run(lp_length{.moved_y = y_moved, .product = in_rows, .is_first = number == 0}, a.rows());
    }
  }

  void round(int steps) {
    step<true>(0);
    for (int number = 1; number + 1 < steps; ++number) step<false>(number);
    if (steps > 1) step<true>(steps - 1);
    test_and_restart();
  }

  void test_and_restart() {
    on.multiply_transposed(1, y_stepped, 0, in_columns);
    on.run(lp_test_columns{.product = in_columns,
                           .c = of.program.cost.data(),
                           .lower = of.program.lower.data(),
                           .upper = of.program.upper.data(),
                           .scale = of.columns.data(),
                           .x = x_stepped,
                           .anchor = x_anchor},
           a.cols());
    on.multiply(1, x_stepped, 0, in_rows);
    on.run(lp_test_rows{.product = in_rows,
                        .lb = of.program.row_lower.data(),
                        .ub = of.program.row_upper.data(),
                        .scale = of.rows.data(),
                        .y = y_stepped,
                        .anchor = y_anchor},
           a.rows());
    on.run(lp_restart{.stepped = x_stepped, .z = x, .anchor = x_anchor}, a.cols());
    on.run(lp_restart{.stepped = y_stepped, .z = y, .anchor = y_anchor}, a.rows());
  }

  const plan<double>& a;
  scaled_program<Space> of;
  engine<double, Space> on;
  double* x;  // z is x and y
  double* x_anchor;
  double* reflected;
  double* in_columns;
  double* x_stepped;  // T(z)
  double* x_moved;    // T(z) - z
  double* y;
  double* y_anchor;
  double* in_rows;
  double* y_stepped;
  double* y_moved;
  recorded_work recorded;  // one round
  int steps_of_graph = 0;
  bool has_ended = false;
};

template <class Space>
linear_program_loop<Space>::linear_program_loop(const plan<double>& a, const scaled_program<Space>& program,
                                                const program_setting& setting,
                                                span_in<const double, Space> x,
                                                span_in<const double, Space> y, cuda_stream stream,
                                                workspace* scratch)
    : own_(std::make_unique<members>(a, program, setting, stream, scratch)) {
  require_size("linear program", "x", x.size(), a.cols(), "columns");
  require_size("linear program", "y", y.size(), a.rows(), "rows");
  members& m = *own_;
  m.on.run(lp_start{.from = x.data(), .z = m.x, .stepped = m.x_stepped, .anchor = m.x_anchor}, a.cols());
  m.on.run(lp_start{.from = y.data(), .z = m.y, .stepped = m.y_stepped, .anchor = m.y_anchor}, a.rows());
  m.on.leave();
}

template <class Space>
linear_program_loop<Space>::~linear_program_loop() = default;

template <class Space>
program_state linear_program_loop<Space>::advance(std::int64_t rounds, int steps) {
  if (rounds < 1 || steps < 1)
    fail(errc::invalid_argument, "linear program: {} rounds of {} steps: both must be at least 1", rounds,
         steps);
  members& m = *own_;
  [[maybe_unused]] const auto inside = m.on.enter();
  if (m.steps_of_graph != steps || m.has_ended) {
    scalar_array changed = m.on.read();
    changed[scalar::verdict] = 0;
    changed[scalar::done] = 0;
    changed[lp_scalar::in_round] = steps;
    m.on.write(changed);
  }
  if (m.steps_of_graph != steps) m.recorded = recorded_work();
  m.steps_of_graph = steps;
  constexpr std::int64_t rounds_of_graph = 1;
  m.on.repeat(
      rounds, m.recorded, [&] { m.round(steps); }, rounds_of_graph);
  const scalar_array& s = m.on.read();
  m.has_ended = s[scalar::verdict] != 0;
  return {.outcome = s[scalar::verdict] == 0 ? status::maxiter : outcome_of(s),
          .steps = static_cast<std::int64_t>(s[lp_scalar::steps]),
          .restarts = static_cast<std::int64_t>(s[lp_scalar::restarts]),
          .primal_error = s[lp_scalar::primal_error],
          .dual_error = s[lp_scalar::dual_error],
          .gap = s[lp_scalar::gap]};
}

template <class Space>
void linear_program_loop<Space>::copy_to(span_in<double, Space> x, span_in<double, Space> y,
                                         span_in<double, Space> moved_x, span_in<double, Space> moved_y) {
  members& m = *own_;
  [[maybe_unused]] const auto inside = m.on.enter();
  m.on.copy(x.data(), m.x_stepped, m.a.cols());
  m.on.copy(y.data(), m.y_stepped, m.a.rows());
  m.on.copy(moved_x.data(), m.x_moved, m.a.cols());
  m.on.copy(moved_y.data(), m.y_moved, m.a.rows());
}

template class GOSSAMER_API linear_program_loop<host_space>;
template class GOSSAMER_API linear_program_loop<device_space>;

}  // namespace gossamer::inline v0::solve
