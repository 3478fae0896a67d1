// SPDX-License-Identifier: BSD-3-Clause
// A step is two products and one pass. A round has four further products: lengths of steps, and the test.
#include "solve/linear_program_loop.hpp"

#include <vector>

#include "solve/arguments.hpp"
#include "solve/engine.hpp"
#include "solve/linear_program_steps.hpp"
#include "solve/primal_dual.hpp"

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
  s[primal_dual_scalar::reflection] = 1;
  s[primal_dual_scalar::halpern] = 1;
  s[lp_scalar::norm] = setting.norm;
  s[lp_scalar::weight] = setting.weight;
  s[lp_scalar::size_of_sides] = setting.size_of_sides;
  s[lp_scalar::size_of_c] = setting.size_of_c;
  return s;
}

iterate_shape<double> shape_of(const plan<double>& a) {
  return {.rows = a.rows(), .cols = a.cols()};
}

template <class Space>
engine_setup program_setup(const plan<double>& a, cuda_stream stream, workspace* scratch) {
  const iterate_shape<double> shape = shape_of(a);
  std::vector<std::int64_t> lengths = primal_dual<double, Space>::lengths(shape);
  lengths.insert(lengths.end(), {shape.size(), shape.size(), shape.size(), shape.rows});
  return {.scratch = scratch, .stream = stream, .lengths = std::move(lengths)};
}

}  // namespace

template <class Space>
struct linear_program_loop<Space>::members {
  members(const plan<double>& plan_of, const scaled_program<Space>& program, const program_setting& setting,
          cuda_stream stream, workspace* scratch)
      : shape(shape_of(plan_of)),
        of(program),
        on(plan_of, begin_program<Space>(plan_of, program, setting),
           program_setup<Space>(plan_of, stream, scratch)),
        latest(on, shape, program.program),
        anchor(on.vector()),
        kept(on.vector()),
        moved(on.vector()),
        in_rows(on.vector()) {}

  void start(const program_setting& setting, const double* x, const double* y) {
    on.run(copy_iterate<double>{.from = nullptr, .to = {latest.z, moved}}, shape.size());
    on.copy(latest.z, x, shape.cols);
    on.copy(y_of(latest.z), y, shape.rows);
    on.run(copy_iterate<double>{.from = latest.z, .to = {anchor, kept}}, shape.size());
    const double step = lp_step_safety / setting.norm;
    latest.set_sizes(step / setting.weight, step * setting.weight);
  }

  /// Step `number` of a round, which counts from 0.
  void step(int number) {
    latest.step_to(latest.stepped);
    on.run(
        next_iterate<double, false>{
            .stepped = latest.stepped, .start = anchor, .z = latest.z, .number = number},
        shape.size());
  }
  /// The same with its length.
  void measured_step(int number, bool is_last) {
    latest.step_to(latest.stepped);
    // Products do not stop at the end of the solve, so that later rounds of a call overwrite `stepped`.
    on.run(next_iterate<double, true>{.stepped = latest.stepped,
                                      .start = anchor,
                                      .z = latest.z,
                                      .moved = moved,
                                      .kept = is_last ? kept : nullptr,
                                      .y_begin = shape.y_begin(),
                                      .number = number},
           shape.size());
    on.multiply(1, moved, 0, in_rows);
    on.run(
        lp_length{.moved_y = y_of(moved), .product = in_rows, .sizes = latest.sizes, .is_first = number == 0},
        shape.rows);
  }

  void round(int steps) {
    measured_step(0, steps == 1);
    for (int number = 1; number + 1 < steps; ++number) step(number);
    if (steps > 1) measured_step(steps - 1, true);
    test_and_restart();
  }

  void test_and_restart() {
    double* const in_columns = latest.extrapolated;
    on.multiply_transposed(1, y_of(kept), 0, in_columns);
    on.run(lp_test_columns{.product = in_columns,
                           .c = of.program.cost.data(),
                           .lower = of.program.lower.data(),
                           .upper = of.program.upper.data(),
                           .scale = of.columns.data(),
                           .x = kept,
                           .anchor = anchor},
           shape.cols);
    on.multiply(1, kept, 0, in_rows);
    on.run(lp_test_rows{.product = in_rows,
                        .lb = of.program.row_lower.data(),
                        .ub = of.program.row_upper.data(),
                        .scale = of.rows.data(),
                        .y = y_of(kept),
                        .anchor = y_of(anchor),
                        .sizes = latest.sizes},
           shape.rows);
    // At the end of an epoch, T(z) becomes z and the anchor.
    on.run(copy_iterate<double>{.from = kept, .to = {latest.z, anchor}, .only_if = lp_scalar::restarts_now},
           shape.size());
  }

  [[nodiscard]] double* y_of(double* iterate) const { return iterate + shape.y_begin(); }

  iterate_shape<double> shape;
  scaled_program<Space> of;
  engine<double, Space> on;
  primal_dual<double, Space> latest;
  double* anchor;
  double* kept;   // T(z) of the last round's last step
  double* moved;  // T(z) - z of the last measured step
  double* in_rows;
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
  m.start(setting, x.data(), y.data());
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
  m.on.copy(x.data(), m.kept, m.shape.cols);
  m.on.copy(y.data(), m.y_of(m.kept), m.shape.rows);
  m.on.copy(moved_x.data(), m.moved, m.shape.cols);
  m.on.copy(moved_y.data(), m.y_of(m.moved), m.shape.rows);
}

template class GOSSAMER_API linear_program_loop<host_space>;
template class GOSSAMER_API linear_program_loop<device_space>;

}  // namespace gossamer::inline v0::solve
