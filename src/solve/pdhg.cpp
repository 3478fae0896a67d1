// SPDX-License-Identifier: BSD-3-Clause
// The primal-dual hybrid gradient method. A step is a product by A, one by its transpose, and two passes.
#include <utility>

#include "gossamer/linear_program.hpp"
#include "solve/arguments.hpp"
#include "solve/engine.hpp"
#include "solve/pdhg_steps.hpp"
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

/// The vectors of a linear program.
template <value V>
struct program_pointers {
  const V* cost;
  const V* lower;
  const V* upper;
  const V* row_lower;
  const V* row_upper;
};

template <value V, class Space>
class pdhg_on final : public pdhg_base<V> {
 public:
  pdhg_on(const plan<V>& a, const program_pointers<V>& given, bool copies, cuda_stream stream,
          workspace* scratch)
      : rows_(a.rows()),
        cols_(a.cols()),
        on_(a, scalar_array{}, {.scratch = scratch, .stream = stream, .lengths = lengths(copies)}),
        given_(given) {
    x_ = on_.vector();
    x_start_ = on_.vector();
    x_mean_ = on_.vector();
    extrapolated_ = on_.vector();
    g_ = on_.vector();
    y_ = on_.vector();
    y_start_ = on_.vector();
    y_mean_ = on_.vector();
    q_ = on_.vector();
    if (copies)
      given_ = {.cost = copied(given.cost, cols_),
                .lower = copied(given.lower, cols_),
                .upper = copied(given.upper, cols_),
                .row_lower = copied(given.row_lower, rows_),
                .row_upper = copied(given.row_upper, rows_)};
    on_.leave();
    restart(nullptr, nullptr);
  }

  void restart(pdhg_iterate from) override {
    const auto inside = on_.enter();
    (void)inside;
    begin_anew();
    run_restart(from == pdhg_iterate::average ? x_mean_ : x_, from == pdhg_iterate::average ? y_mean_ : y_,
                false);
  }
  void restart(const V* x, const V* y) override {
    const auto inside = on_.enter();
    (void)inside;
    begin_anew();
    if (x != nullptr) on_.copy(x_, x, cols_);
    if (y != nullptr) on_.copy(y_, y, rows_);
    run_restart(x == nullptr ? nullptr : x_, y == nullptr ? nullptr : y_, x == nullptr);
  }

  pdhg_state advance(std::int64_t steps, const pdhg_parameters& how) override {
    const auto inside = on_.enter();
    (void)inside;
    scalar_array s = on_.read();
    s[pdhg_scalar::primal_step] = how.primal_step;
    s[pdhg_scalar::dual_step] = how.dual_step;
    s[pdhg_scalar::reflection] = how.reflection;
    s[pdhg_scalar::halpern] = how.halpern ? 1 : 0;
    s[pdhg_scalar::average] = how.average ? 1 : 0;
    on_.write(s);
    on_.repeat(steps, recorded_, [&] { step(); });
    s = on_.read();
    return {.outcome = s[scalar::verdict] == 0 ? status::maxiter : outcome_of(s),
            .since_restart = static_cast<std::int64_t>(s[pdhg_scalar::since_restart]),
            .primal_change = s[pdhg_scalar::primal_change],
            .dual_change = s[pdhg_scalar::dual_change]};
  }

  void copy_to(V* x, V* y, pdhg_iterate which) override {
    const auto inside = on_.enter();
    (void)inside;
    on_.copy(x, which == pdhg_iterate::average ? x_mean_ : x_, cols_);
    on_.copy(y, which == pdhg_iterate::average ? y_mean_ : y_, rows_);
  }

  linear_program_errors errors(pdhg_iterate of) override {
    const auto inside = on_.enter();
    (void)inside;
    const V* const x = of == pdhg_iterate::average ? x_mean_ : x_;
    const V* const y = of == pdhg_iterate::average ? y_mean_ : y_;
    const scalar_array before = on_.read();
    scalar_array s = before;
    s[scalar::verdict] = 0;  // the errors of an iterate with NaN are NaN
    s[scalar::done] = 0;
    on_.write(s);
    on_.multiply_transposed(V{1}, y, V{0}, g_);
    on_.run(
        pdhg_column_errors<V>{
            .g = g_, .x = x, .cost = given_.cost, .lower = given_.lower, .upper = given_.upper},
        cols_);
    on_.multiply(V{1}, x, V{0}, q_);
    on_.run(pdhg_row_errors<V>{.q = q_, .y = y, .lower = given_.row_lower, .upper = given_.row_upper}, rows_);
    s = on_.read();
    on_.write(before);
    return {.primal_objective = s[pdhg_scalar::primal_objective],
            .dual_objective = s[pdhg_scalar::dual_objective],
            .primal_residual = s[pdhg_scalar::primal_residual],
            .dual_residual = s[pdhg_scalar::dual_residual]};
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> lengths(bool copies) const {
    std::vector<std::int64_t> all{cols_, cols_, cols_, cols_, cols_, rows_, rows_, rows_, rows_};
    if (copies) all.insert(all.end(), {cols_, cols_, cols_, rows_, rows_});
    return all;
  }
  const V* copied(const V* from, std::int64_t size) {
    V* const to = on_.vector();
    on_.copy(to, from, size);
    return to;
  }
  void begin_anew() {
    scalar_array s = on_.read();
    s[scalar::verdict] = 0;
    s[scalar::done] = 0;
    on_.write(s);
  }
  void run_restart(const V* x, const V* y, bool clamps) {
    on_.run(pdhg_restart<V>{.from = x,
                            .lower = clamps ? given_.lower : nullptr,
                            .upper = clamps ? given_.upper : nullptr,
                            .z = x_,
                            .start = x_start_,
                            .average = x_mean_},
            cols_);
    on_.run(
        pdhg_restart<V>{
            .from = y, .lower = nullptr, .upper = nullptr, .z = y_, .start = y_start_, .average = y_mean_},
        rows_);
    (void)on_.read();  // the caller's vectors have been read
  }
  void step() {
    on_.multiply_transposed(V{1}, y_, V{0}, g_);
    on_.run(pdhg_primal<V>{.g = g_,
                           .cost = given_.cost,
                           .lower = given_.lower,
                           .upper = given_.upper,
                           .start = x_start_,
                           .x = x_,
                           .average = x_mean_,
                           .extrapolated = extrapolated_},
            cols_);
    on_.multiply(V{1}, extrapolated_, V{0}, q_);
    on_.run(pdhg_dual<V>{.q = q_,
                         .lower = given_.row_lower,
                         .upper = given_.row_upper,
                         .start = y_start_,
                         .y = y_,
                         .average = y_mean_},
            rows_);
  }

  std::int64_t rows_;
  std::int64_t cols_;
  engine<V, Space> on_;
  recorded_work recorded_;
  program_pointers<V> given_;
  V* x_ = nullptr;
  V* x_start_ = nullptr;
  V* x_mean_ = nullptr;
  V* extrapolated_ = nullptr;  ///< 2 x' - x
  V* g_ = nullptr;             ///< A^T y
  V* y_ = nullptr;
  V* y_start_ = nullptr;
  V* y_mean_ = nullptr;
  V* q_ = nullptr;  ///< a product by A
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
  const program_pointers<V> given{.cost = problem.cost.data(),
                                  .lower = problem.lower.data(),
                                  .upper = problem.upper.data(),
                                  .row_lower = problem.row_lower.data(),
                                  .row_upper = problem.row_upper.data()};
  if constexpr (std::is_same_v<Space, host_space>) {
    if (!solves_on_one_gpu(a))
      return std::make_unique<pdhg_on<V, host_space>>(a, given, false, stream, scratch);
    return std::make_unique<pdhg_on<V, device_space>>(a, given, true, cuda_stream(), scratch);
  } else {
    return std::make_unique<pdhg_on<V, device_space>>(a, given, false, stream, scratch);
  }
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
  if (cols_ > 0 || rows_ > 0) loop_->restart(x.data(), y.data());
}
template <value V, class Space>
pdhg_state pdhg<V, Space>::advance(std::int64_t steps, const pdhg_parameters& how) {
  if (steps < 0) fail(errc::invalid_argument, "pdhg: steps = {}: less than 0", steps);
  if (!(how.primal_step > 0 && is_finite(how.primal_step) && how.dual_step > 0 && is_finite(how.dual_step)))
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
