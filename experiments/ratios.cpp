// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "experiments/cumulative.hpp"

namespace gossamer::experiments {
namespace {

std::string list_of(const std::vector<named_ratio>& named) {
  std::string text;
  for (const named_ratio& each : named) text += fmt::format(" {} {:.3f}", each.matrix, each.ratio);
  return text;
}

/// "a, b (HYB unsupported), c (no row)".
std::string list_of(const std::vector<unmeasured>& missing) {
  std::string text;
  for (std::size_t i = 0; i < missing.size(); ++i) {
    text += (i == 0 ? " " : ", ") + missing[i].matrix;
    if (i + 1 == missing.size() || missing[i + 1].why != missing[i].why) text += " (" + missing[i].why + ")";
  }
  return text;
}

std::string coverage(const judgement& j) {
  const std::size_t measured = j.counted.size();
  const auto stand_ins = std::count_if(j.counted.begin(), j.counted.end(),
                                       [](const named_ratio& each) { return each.stand_in; });
  std::string text = fmt::format("; {} of {} measured", measured, measured + j.missing.size());
  if (!j.missing.empty()) text += ", not" + list_of(j.missing);
  if (measured > 0) text += fmt::format("; {} of {} are stand-ins", stand_ins, measured);
  if (j.of_others) text += "; of other matrices than those that it is about";
  return text;
}

/// Empty where the matrix counts.
std::string why_not_counted(const claim& c, const json* fast, const json* slow) {
  for (const json* row : {fast, slow}) {
    if (row != nullptr && !c.value.empty() && row->value("value", c.value) != c.value)
      return "in " + row->value("value", std::string());
  }
  std::string why;
  const auto ask = [&](const json* row, const std::string& label) {
    if (number(row, quantity::seconds)) return;
    why += fmt::format("{}{} {}", why.empty() ? "" : ", ", label,
                       row == nullptr ? std::string("no row") : row->at("status").get<std::string>());
  };
  ask(fast, c.faster);
  ask(slow, c.slower);
  if (!why.empty() || c.tried == 0) return why;
  const auto tried = slow->find("tried");
  const std::size_t settings = tried != slow->end() && tried->is_array() ? tried->size() : 0;
  return settings == c.tried ? std::string() : fmt::format("{} settings tried", settings);
}

bool has_status(const json* row, const char* status) {
  return row != nullptr && row->at("status") == status;
}

bool has_no_entry(const json* row) {
  return has_status(row, "unsupported") && member(row, "portion_nnz") == 0.0;
}

/// Without regard to what is missing.
verdict verdict_on_counted(const claim& c, const judgement& j) {
  if (c.on == extent::each_matrix) return j.against.empty() ? verdict::confirmed : verdict::refuted;
  const std::vector<double> numbers = numbers_of(j.counted);
  const double geometric = geometric_mean(numbers);
  if (c.on == extent::geometric_average) return geometric >= c.least ? verdict::confirmed : verdict::refuted;
  if (!(arithmetic_mean(numbers) >= c.least)) return verdict::refuted;
  return geometric >= std::min(1.0, c.least) ? verdict::confirmed : verdict::arithmetic_mean_only;
}

std::string claim_line(const claim& c, const rows& all) {
  const judgement j = judge(c, all);
  std::string text = fmt::format("{}: {}", name(j.is), c.statement);
  if (!j.counted.empty()) {
    const std::vector<double> numbers = numbers_of(j.counted);
    text +=
        fmt::format("; {} over {}: arithmetic mean {:.3f}, geometric mean {:.3f}, at least {:g} on {} of {}",
                    c.faster, c.slower, arithmetic_mean(numbers), geometric_mean(numbers), c.least,
                    reaching(numbers, c.least), numbers.size());
  }
  if (!all.empty()) text += coverage(j);
  if (!j.against.empty())
    text += (c.on == extent::each_matrix ? "; against it:" : "; below 1:") + list_of(j.against);
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
    if (fast && slow)
      ratios.push_back(
          {matrix, published_name(*row), *slow / *fast, variation_of(*row), row->at("stand_in") == true});
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
    case verdict::confirmed_in_part:
      return "confirmed in part";
    case verdict::arithmetic_mean_only:
      return "by the arithmetic mean only";
    case verdict::refuted:
      return "refuted";
    default:
      return "not measured";
  }
}

verdict verdict_on(std::size_t holding, std::size_t measured, std::size_t asked) noexcept {
  if (measured == 0) return verdict::not_measured;
  if (holding < measured) return verdict::refuted;
  return measured < asked ? verdict::confirmed_in_part : verdict::confirmed;
}

judgement judge(const claim& c, const rows& all) {
  judgement j;
  std::vector<std::string> titles = matrices_of(all);
  if (!c.about.empty()) {
    std::vector<std::string> named;
    std::vector<unmeasured> without_row;
    for (const std::string& each : c.about) {
      std::string title = title_named(all, each);
      if (!title.empty())
        named.push_back(std::move(title));
      else if (std::find(c.except.begin(), c.except.end(), each) == c.except.end())
        without_row.push_back({each, "no row"});
    }
    j.of_others = named.empty() && !titles.empty();
    if (!j.of_others) {
      titles = std::move(named);
      j.missing = std::move(without_row);
    }
  }
  for (const std::string& title : titles) {
    const json* fast = find_row(all, title, c.faster);
    const json* slow = find_row(all, title, c.slower);
    const json* row = fast != nullptr ? fast : slow;
    if (row == nullptr) {
      j.missing.push_back({title, "no row"});
      continue;
    }
    const double variation = variation_of(*row);
    if (!(variation > c.more_than && variation <= c.at_most)) continue;
    if (has_no_entry(fast) || has_no_entry(slow)) continue;
    const std::string published = published_name(*row);
    const bool excepted = std::find(c.except.begin(), c.except.end(), published) != c.except.end();
    const std::string why = why_not_counted(c, fast, slow);
    if (!why.empty()) {
      if (!excepted)
        j.missing.push_back({title, why, has_status(fast, "failed") || has_status(slow, "failed")});
      continue;
    }
    (excepted ? j.exceptions : j.counted)
        .push_back({title, published, *number(slow, quantity::seconds) / *number(fast, quantity::seconds),
                    variation, row->at("stand_in") == true});
  }
  if (j.counted.empty()) return j;
  const double least = c.on == extent::each_matrix ? level * c.least : 1;
  if (c.on != extent::average)
    std::copy_if(j.counted.begin(), j.counted.end(), std::back_inserter(j.against),
                 [&](const named_ratio& each) { return each.ratio < least; });
  j.is = verdict_on_counted(c, j);
  const bool one_is_enough = j.is == verdict::refuted && c.on == extent::each_matrix;
  const bool wrong =
      std::any_of(j.missing.begin(), j.missing.end(), [](const unmeasured& each) { return each.wrong; });
  if (wrong && !one_is_enough) j.is = verdict::not_measured;
  if ((!j.missing.empty() || j.of_others) && j.is == verdict::confirmed) j.is = verdict::confirmed_in_part;
  return j;
}

std::string claims_of(const experiment& e, const rows& all) {
  std::string text;
  for (const claim& each : e.claims) text += claim_line(each, all);
  return text;
}

}  // namespace gossamer::experiments
