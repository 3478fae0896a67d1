// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/search.hpp"

#include <algorithm>

#include "core/fail.hpp"

namespace gossamer::inline v0::tuning {
namespace {

void measure_into(measurement& t, const search_tools& tools) {
  try {
    const measured_times m = tools.measure(t.expected);
    t.inspect_seconds = m.inspect_seconds;
    t.multiply_seconds = m.multiply_seconds;
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported && problem.code() != errc::out_of_memory) throw;
    t.note = problem.what();
  }
}

/// The plain format as it chooses its options itself goes first: everything is compared with it.
void put_plain_first(std::vector<measurement>& measurements) {
  const auto plain = std::find_if(measurements.begin(), measurements.end(), [](const measurement& t) {
    return t.expected.by_default && t.expected.setting.format == plain_format();
  });
  if (plain != measurements.end()) std::rotate(measurements.begin(), plain, plain + 1);
}

}  // namespace

std::size_t least_total(const std::vector<measurement>& measurements, double calls) {
  std::size_t best = measurements.size();
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    if (!measurements[i].measured()) continue;
    if (best == measurements.size() ||
        measurements[i].total_seconds(calls) < measurements[best].total_seconds(calls))
      best = i;
  }
  return best;
}

namespace {

/// One search: what is spent, and what of it one trial may take.
class spender {
 public:
  spender(double budget_seconds, const search_tools& tools) : budget_(budget_seconds), tools_(tools) {}

  /// Nothing is begun that, were it as slow as the slowest so far, would end behind the budget.
  [[nodiscard]] bool may_begin() const { return !some_tried_ || tools_.elapsed() + slowest_ <= budget_; }

  void run(measurement& t) {
    if (!t.expected.refusal.empty()) {
      t.note = "refused: " + t.expected.refusal;
      return;
    }
    if (!may_begin()) {
      t.note = "not tried: the budget is spent";
      return;
    }
    const double before = tools_.elapsed();
    measure_into(t, tools_);
    some_tried_ = some_tried_ || t.measured();
    slowest_ = std::max(slowest_, tools_.elapsed() - before);
  }

  std::vector<candidate> ask(const candidate& by_default) {
    const double before = tools_.elapsed();
    std::vector<candidate> others = tools_.others(by_default);
    slowest_ = std::max(slowest_, tools_.elapsed() - before);
    return others;
  }

 private:
  double budget_;
  const search_tools& tools_;
  double slowest_ = 0;
  bool some_tried_ = false;
};

/// Of what was measured, the fastest product first.
std::vector<std::size_t> fastest_first(const std::vector<measurement>& measurements) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < measurements.size(); ++i)
    if (measurements[i].measured()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return measurements[i].multiply_seconds < measurements[j].multiply_seconds;
  });
  return order;
}

/// Whether something was left out with this one: itself, or, of a format that failed by default, the other
/// settings.
bool left_some_out(const measurement& t) {
  if (t.measured() || !t.expected.refusal.empty()) return false;
  return t.expected.by_default || t.note.starts_with("not tried");
}

}  // namespace

tuning_result search(std::vector<candidate> ranked, double calls, double budget_seconds,
                     const search_tools& tools) {
  tuning_result result;
  for (candidate& each : ranked) result.measurements.push_back({.expected = std::move(each)});
  put_plain_first(result.measurements);
  spender budget(budget_seconds, tools);
  for (measurement& t : result.measurements) budget.run(t);
  result.complete = true;
  for (const std::size_t i : fastest_first(result.measurements)) {
    if (!budget.may_begin()) {
      result.complete = false;
      break;
    }
    for (candidate& other : budget.ask(result.measurements[i].expected)) {
      result.measurements.push_back({.expected = std::move(other)});
      budget.run(result.measurements.back());
    }
  }
  result.complete =
      result.complete && std::none_of(result.measurements.begin(), result.measurements.end(), left_some_out);
  result.chosen = least_total(result.measurements, calls);
  result.spent_seconds = tools.elapsed();
  if (result.chosen == result.measurements.size())
    fail(errc::out_of_memory, "tune: no format could be tried; {}: {}",
         result.measurements.empty() ? plain_format() : result.measurements.front().expected.setting.format,
         result.measurements.empty() ? "there is none" : result.measurements.front().note);
  return result;
}

}  // namespace gossamer::inline v0::tuning
