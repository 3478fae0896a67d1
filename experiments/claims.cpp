// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "experiments/cumulative.hpp"

namespace gossamer::experiments {
namespace {

std::string list_of(const std::vector<named_ratio>& named) {
  std::string text;
  for (const named_ratio& each : named) text += fmt::format(" {} {:.3f}", each.matrix, each.ratio);
  return text;
}

std::string claim_line(const claim& c, const rows& all) {
  const judgement j = judge(c, all);
  std::string text = fmt::format("{}: {}", name(j.is), c.says);
  if (!j.counted.empty()) {
    const std::vector<double> numbers = numbers_of(j.counted);
    text +=
        fmt::format("; {} over {}: arithmetic mean {:.3f}, geometric mean {:.3f}, at least {:g} on {} of {}",
                    c.faster, c.slower, arithmetic_mean(numbers), geometric_mean(numbers), c.least,
                    reaching(numbers, c.least), numbers.size());
  }
  if (!j.against.empty()) text += "; against it:" + list_of(j.against);
  if (!j.exceptions.empty()) text += "; where the paper says the contrary:" + list_of(j.exceptions);
  return text + "\n";
}

}  // namespace

std::vector<named_ratio> time_ratios(const rows& all, std::string_view faster, std::string_view slower) {
  std::vector<named_ratio> ratios;
  for (const std::string& matrix : matrices_of(all)) {
    const json* row = find_row(all, matrix, faster);
    const auto fast = number(row, quantity::seconds);
    const auto slow = number(find_row(all, matrix, slower), quantity::seconds);
    if (fast && slow) ratios.push_back({matrix, published_name(*row), *slow / *fast, variation_of(*row)});
  }
  return ratios;
}

std::vector<double> numbers_of(const std::vector<named_ratio>& named) {
  std::vector<double> numbers;
  numbers.reserve(named.size());
  for (const named_ratio& each : named) numbers.push_back(each.ratio);
  return numbers;
}

double arithmetic_mean(const std::vector<double>& numbers) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

std::string_view name(verdict v) noexcept {
  switch (v) {
    case verdict::confirmed:
      return "confirmed";
    case verdict::refuted:
      return "refuted";
    default:
      return "not measured";
  }
}

judgement judge(const claim& c, const rows& all) {
  judgement j;
  for (named_ratio& each : time_ratios(all, c.faster, c.slower)) {
    if (!(each.variation > c.more_than && each.variation <= c.at_most)) continue;
    const bool excepted = std::find(c.except.begin(), c.except.end(), each.published) != c.except.end();
    (excepted ? j.exceptions : j.counted).push_back(std::move(each));
  }
  if (j.counted.empty()) return j;
  bool holds = false;
  if (c.on == extent::average) {
    holds = arithmetic_mean(numbers_of(j.counted)) >= c.least;
  } else {
    std::copy_if(j.counted.begin(), j.counted.end(), std::back_inserter(j.against),
                 [&](const named_ratio& each) { return each.ratio < level * c.least; });
    holds = j.against.empty();
  }
  j.is = holds ? verdict::confirmed : verdict::refuted;
  return j;
}

std::string claims_of(const experiment& e, const rows& all) {
  std::string text;
  for (const claim& each : e.claims) text += claim_line(each, all);
  return text;
}

}  // namespace gossamer::experiments
