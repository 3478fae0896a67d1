// SPDX-License-Identifier: BSD-3-Clause
#include "bench/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

struct standing {
  std::string matrix;
  double ratio = 0;
  bool lost = false;
};

double geometric_mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double each : numbers) sum += std::log(each);
  return std::exp(sum / static_cast<double>(numbers.size()));
}

/// As bench_member::title.
std::string title_of(const json& row) {
  const auto name = row.at("matrix").get<std::string>();
  const json& values = row.at("values");
  return row.at("source") == "file" && values != "file" ? name + " values=" + values.get<std::string>()
                                                        : name;
}

using by_class = std::map<std::string, std::vector<standing>>;

std::string text_of(const std::string& title, const by_class& classes) {
  std::vector<double> means;
  std::vector<standing> all;
  std::string each_class;
  for (const auto& [name, cases] : classes) {
    std::vector<double> ratios;
    for (const standing& one : cases) ratios.push_back(one.ratio);
    means.push_back(geometric_mean(ratios));
    all.insert(all.end(), cases.begin(), cases.end());
    each_class +=
        fmt::format("{} {} {:.3f} ({})", each_class.empty() ? "" : ",", name, means.back(), cases.size());
  }
  std::vector<double> ratios;
  ratios.reserve(all.size());
  for (const standing& one : all) ratios.push_back(one.ratio);
  const auto less = [](const standing& a, const standing& b) { return a.ratio < b.ratio; };
  const auto [worst, best] = std::minmax_element(all.begin(), all.end(), less);
  std::string lost;
  std::size_t count = 0;
  for (const standing& one : all) {
    if (!one.lost) continue;
    ++count;
    lost += fmt::format("{} {} ({:.3f})", lost.empty() ? ":" : ",", one.matrix, one.ratio);
  }
  return fmt::format(
      "{} against the best peer, {} matrices: {:.3f} over the class means, {:.3f} over all; worst {:.3f} {}, "
      "best "
      "{:.3f} {}\n  lost {}{}\n  by class:{}\n",
      title, all.size(), geometric_mean(means), geometric_mean(ratios), worst->ratio, worst->matrix,
      best->ratio, best->matrix, count, lost, each_class);
}

}  // namespace

std::string summary(const json& rows) {
  std::map<std::string, by_class> titles;
  for (const json& r : rows) {
    const json& best = r.at("vs_best_peer");
    if (best.is_null() || !r.value("default", false)) continue;
    const json& kind = r.at("class");
    const std::int64_t columns = r.value("columns", std::int64_t{1});
    const auto title = fmt::format("{} {} {}{}{}", r.at("format").get<std::string>(),
                                   r.at("value").get<std::string>(), r.at("cache").get<std::string>(),
                                   r.value("op", "forward") == "forward" ? "" : " transposed",
                                   columns == 1 ? "" : fmt::format(", {} columns", columns));
    titles[title][kind.is_null() ? "no class" : kind.get<std::string>()].push_back(
        {title_of(r), best.at("ratio").get<double>(), best.at("high").get<double>() < lost_below});
  }
  std::string text;
  for (const auto& [title, classes] : titles) text += text_of(title, classes);
  return text;
}

}  // namespace gossamer::cli
