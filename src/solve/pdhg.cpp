// SPDX-License-Identifier: BSD-3-Clause
// The primal-dual hybrid gradient method. A step is two products, and a pass if iterates are averaged.
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "gossamer/linear_program.hpp"
#include "solve/arguments.hpp"
#include "solve/engine.hpp"
#include "solve/pdhg_steps.hpp"
#include "solve/primal_dual.hpp"
#include "solve/staged.hpp"

namespace gossamer::inline v0::solve {

/// The state on a resource that is known later. Pointers lead to host or device memory.
template <value V>
class pdhg_base {
 public:
  virtual ~pdhg_base() = default;
  pdhg_base() = default;
  pdhg_base(const pdhg_base&) = delete;
  pdhg_base& operator=(const pdhg_base&) = delete;
  virtual void restart(pdhg_iterate from) = 0;
  virtual void restart(const V* x, const V* y) = 0;
  virtual pdhg_state advance(std::int64_t steps, const pdhg_parameters& how) = 0;
  virtual void copy_to(V* x, V* y, pdhg_iterate which) = 0;
  virtual linear_program_errors errors(pdhg_iterate of) = 0;
};

namespace {

template <value V, class Space>
class pdhg_on final : public pdhg_base<V> {
 public:
  /// Copies the program's vectors if they are in another memory.
  template <class From>
  pdhg_on(const plan<V>& a, const linear_program<V, From>& program, cuda_stream stream, workspace* scratch)
      : shape_{.rows = a.rows(), .cols = a.cols()},
        on_(a, scalar_array{}, {.scratch = scratch, .stream = stream, .lengths = lengths<From>()}),
        given_{.cost = here(program.cost),
               .lower = here(program.lower),
               .upper = here(program.upper),
               .row_lower = here(program.row_lower),
               .row_upper = here(program.row_upper)},
        latest_(on_, shape_, given_),
        start_(on_.vector()),
        mean_(on_.vector()) {
    on_.run(copy_iterate<V>{.from = nullptr,
                            .to = {latest_.z, start_, mean_},
                            .bounded = shape_.cols,
                            .lower = given_.lower.data(),
                            .upper = given_.upper.data()},
            shape_.size());
    on_.leave();
  }

  void restart(pdhg_iterate from) override {
    [[maybe_unused]] const auto inside = on_.enter();
    restart_from(iterate(from));
  }
  void restart(const V* x, const V* y) override {
    [[maybe_unused]] const auto inside = on_.enter();
    on_.copy(latest_.z, x, shape_.cols);
    on_.copy(latest_.z + shape_.y_begin(), y, shape_.rows);
    restart_from(latest_.z);
  }

  pdhg_state advance(std::int64_t steps, const pdhg_parameters& how) override {
    if (steps == 0 || now_.outcome != status::maxiter) return now_;
    [[maybe_unused]] const auto inside = on_.enter();
    scalar_array s{};
    s[primal_dual_scalar::reflection] = how.reflection;
    s[primal_dual_scalar::halpern] = how.halpern ? 1 : 0;
    s[primal_dual_scalar::average] = how.average ? 1 : 0;
    s[primal_dual_scalar::since_restart] = static_cast<double>(now_.since_restart);
    on_.write(s);
    latest_.set_sizes(how.primal_step, how.dual_step);
    if (how.reflection != 0 || how.halpern || how.average)
      on_.repeat(steps, with_pass_, [&] { step_with_pass(); });
    else
      take_plain_steps(steps);
    s = on_.read();
    const double moved_x = s[primal_dual_scalar::moved_x];
    const double moved_y = s[primal_dual_scalar::moved_y];
    now_ = {.outcome = is_finite(moved_x) && is_finite(moved_y) ? status::maxiter : status::not_finite,
            .since_restart = now_.since_restart + steps,
            .primal_change = std::sqrt(moved_x),
            .dual_change = std::sqrt(moved_y)};
    return now_;
  }

  void copy_to(V* x, V* y, pdhg_iterate which) override {
    [[maybe_unused]] const auto inside = on_.enter();
    on_.copy(x, iterate(which), shape_.cols);
    on_.copy(y, iterate(which) + shape_.y_begin(), shape_.rows);
  }

  linear_program_errors errors(pdhg_iterate of) override {
    [[maybe_unused]] const auto inside = on_.enter();
    const V* const x = iterate(of);
    const V* const y = x + shape_.y_begin();
    V* const in_columns = latest_.extrapolated;
    V* const in_rows = latest_.stepped + shape_.y_begin();
    on_.multiply_transposed(V{1}, y, V{0}, in_columns);
    on_.run(pdhg_column_errors<V>{.g = in_columns,
                                  .x = x,
                                  .cost = given_.cost.data(),
                                  .lower = given_.lower.data(),
                                  .upper = given_.upper.data()},
            shape_.cols);
    on_.multiply(V{1}, x, V{0}, in_rows);
    on_.run(
        pdhg_row_errors<V>{
            .q = in_rows, .y = y, .lower = given_.row_lower.data(), .upper = given_.row_upper.data()},
        shape_.rows);
    const scalar_array s = on_.read();
    return {.primal_objective = s[pdhg_scalar::primal_objective],
            .dual_objective = s[pdhg_scalar::dual_objective],
            .primal_residual = s[pdhg_scalar::primal_residual],
            .dual_residual = s[pdhg_scalar::dual_residual]};
  }

 private:
  template <class From>
  [[nodiscard]] std::vector<std::int64_t> lengths() const {
    std::vector<std::int64_t> all;
    if (!std::is_same_v<From, Space>) all = {shape_.cols, shape_.cols, shape_.cols, shape_.rows, shape_.rows};
    for (const std::int64_t length : primal_dual<V, Space>::lengths(shape_)) all.push_back(length);
    all.insert(all.end(), 2, shape_.size());
    return all;
  }
  template <class Vector>
  span_in<const V, Space> here(const Vector& from) {
    if constexpr (std::is_same_v<Vector, span_in<const V, Space>>) {
      return from;
    } else {
      V* const to = on_.vector();
      on_.copy(to, from.data(), static_cast<std::int64_t>(from.size()));
      return {to, from.size()};
    }
  }
  [[nodiscard]] const V* iterate(pdhg_iterate which) const {
    return which == pdhg_iterate::average ? mean_ : latest_.z;
  }
  void restart_from(const V* z) {
    on_.run(copy_iterate<V>{.from = z, .to = {latest_.z, start_, mean_}}, shape_.size());
    now_.outcome = status::maxiter;
    now_.since_restart = 0;
  }

  void step_with_pass() {
    latest_.step_to(latest_.stepped);
    on_.run(next_iterate<V, true>{.stepped = latest_.stepped,
                                  .start = start_,
                                  .average = mean_,
                                  .z = latest_.z,
                                  .y_begin = shape_.y_begin(),
                                  .counted = 1},
            shape_.size());
  }
  /// In place. The last step is measured by a copy of the iterate before it, so that all steps have the same
  /// arithmetic.
  void take_plain_steps(std::int64_t steps) {
    const auto step = [&] { latest_.step_to(latest_.z); };
    on_.repeat(steps - 1, plain_, step);
    on_.run(copy_iterate<V>{.from = latest_.z, .to = {latest_.stepped}}, shape_.size());
    step();
    on_.run(
        next_iterate<V, true>{
            .stepped = latest_.z, .start = start_, .z = latest_.stepped, .y_begin = shape_.y_begin()},
        shape_.size());
  }

  iterate_shape<V> shape_;
  engine<V, Space> on_;
  linear_program<V, Space> given_;
  primal_dual<V, Space> latest_;
  V* start_;  ///< the iterate at the restart
  V* mean_;
  recorded_work plain_;
  recorded_work with_pass_;
  pdhg_state now_;
};

template <value V, class Space>
void check_program(const plan<V>& a, const linear_program<V, Space>& problem) {
  if (a.operations() != operation_set::both)
    fail(errc::unsupported, "pdhg: the plan was inspected with operations = {}; it needs both",
         gossamer::name(a.operations()));
  require_size("pdhg", "cost", problem.cost.size(), a.cols(), "columns");
  require_size("pdhg", "lower", problem.lower.size(), a.cols(), "columns");
  require_size("pdhg", "upper", problem.upper.size(), a.cols(), "columns");
  require_size("pdhg", "row_lower", problem.row_lower.size(), a.rows(), "rows");
  require_size("pdhg", "row_upper", problem.row_upper.size(), a.rows(), "rows");
}

template <value V, class Space>
std::unique_ptr<pdhg_base<V>> make_pdhg(const plan<V>& a, const linear_program<V, Space>& problem,
                                        cuda_stream stream, workspace* scratch) {
  check_program(a, problem);
  if constexpr (std::is_same_v<Space, host_space>)
    if (solves_on_one_gpu(a))
      return std::make_unique<pdhg_on<V, device_space>>(a, problem, cuda_stream(), scratch);
  return std::make_unique<pdhg_on<V, Space>>(a, problem, stream, scratch);
}

}  // namespace

template <value V, class Space>
pdhg<V, Space>::pdhg(const plan<V>& a, const linear_program<V, Space>& problem, cuda_stream stream,
                     workspace* scratch)
    : rows_(a.rows()), cols_(a.cols()), loop_(make_pdhg<V, Space>(a, problem, stream, scratch)) {}
template <value V, class Space>
pdhg<V, Space>::pdhg(pdhg&&) noexcept = default;
template <value V, class Space>
pdhg<V, Space>& pdhg<V, Space>::operator=(pdhg&&) noexcept = default;
template <value V, class Space>
pdhg<V, Space>::~pdhg() = default;

template <value V, class Space>
void pdhg<V, Space>::restart(pdhg_iterate from) {
  loop_->restart(from);
}
template <value V, class Space>
void pdhg<V, Space>::restart(span_in<const V, Space> x, span_in<const V, Space> y) {
  require_size("pdhg", "x", x.size(), cols_, "columns");
  require_size("pdhg", "y", y.size(), rows_, "rows");
  loop_->restart(x.data(), y.data());
}
template <value V, class Space>
pdhg_state pdhg<V, Space>::advance(std::int64_t steps, const pdhg_parameters& how) {
  if (steps < 0) fail(errc::invalid_argument, "pdhg: steps = {}: less than 0", steps);
  const auto is_positive = [](double step) {
    return step <= std::numeric_limits<V>::max() && static_cast<V>(step) > 0;  // also after rounding
  };
  if (!is_positive(how.primal_step) || !is_positive(how.dual_step))
    fail(errc::invalid_argument, "pdhg: step sizes {} and {}: not positive numbers", how.primal_step,
         how.dual_step);
  if (!(how.reflection >= 0 && how.reflection <= 1))
    fail(errc::invalid_argument, "pdhg: reflection = {}: not from 0 to 1", how.reflection);
  return loop_->advance(steps, how);
}
template <value V, class Space>
void pdhg<V, Space>::copy_to(span_in<V, Space> x, span_in<V, Space> y, pdhg_iterate which) {
  require_size("pdhg", "x", x.size(), cols_, "columns");
  require_size("pdhg", "y", y.size(), rows_, "rows");
  loop_->copy_to(x.data(), y.data(), which);
}
template <value V, class Space>
linear_program_errors pdhg<V, Space>::errors(pdhg_iterate of) {
  return loop_->errors(of);
}

template class GOSSAMER_API pdhg<float, host_space>;
template class GOSSAMER_API pdhg<double, host_space>;
template class GOSSAMER_API pdhg<float, device_space>;
template class GOSSAMER_API pdhg<double, device_space>;

}  // namespace gossamer::inline v0::solve
