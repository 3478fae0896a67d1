// SPDX-License-Identifier: BSD-3-Clause
#include "tune/search.hpp"

#include <algorithm>

#include "core/fail.hpp"

namespace gossamer::inline v0::tuning {
namespace {

void measure_into(trial& t, const search_tools& tools) {
  try {
    const measurement m = tools.measure(t.expected);
    t.inspect_seconds = m.inspect_seconds;
    t.multiply_seconds = m.multiply_seconds;
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported && problem.code() != errc::out_of_memory) throw;
    t.note = problem.what();
  }
}

/// The plain format as it chooses its options itself goes first: everything is compared with it.
void put_plain_first(std::vector<trial>& trials) {
  const auto plain = std::find_if(trials.begin(), trials.end(), [](const trial& t) {
    return t.expected.by_default && t.expected.setting.format == plain_format();
  });
  if (plain != trials.end()) std::rotate(trials.begin(), plain, plain + 1);
}

}  // namespace

std::size_t least_total(const std::vector<trial>& trials, double calls) {
  std::size_t best = trials.size();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials[i].measured()) continue;
    if (best == trials.size() || trials[i].total_seconds(calls) < trials[best].total_seconds(calls)) best = i;
  }
  return best;
}

tuning_result search(std::vector<prospect> ranked, double calls, double budget_seconds,
                     const search_tools& tools) {
  tuning_result result;
  for (prospect& each : ranked) result.trials.push_back({.expected = std::move(each)});
  put_plain_first(result.trials);
  double slowest = 0;
  bool some_tried = false;
  result.complete = true;
  for (trial& t : result.trials) {
    if (!t.expected.refusal.empty()) {
      t.note = "refused: " + t.expected.refusal;
      continue;
    }
    const double before = tools.elapsed();
    if (some_tried && before + slowest > budget_seconds) {
      t.note = "not tried: the budget is spent";
      result.complete = false;
      continue;
    }
    measure_into(t, tools);
    some_tried = some_tried || t.measured();
    slowest = std::max(slowest, tools.elapsed() - before);
  }
  result.chosen = least_total(result.trials, calls);
  result.spent_seconds = tools.elapsed();
  if (result.chosen == result.trials.size())
    fail(errc::out_of_memory, "tune: no format could be tried; {}: {}",
         result.trials.empty() ? plain_format() : result.trials.front().expected.setting.format,
         result.trials.empty() ? "there is none" : result.trials.front().note);
  return result;
}

}  // namespace gossamer::inline v0::tuning
