// SPDX-License-Identifier: BSD-3-Clause
#include "bench/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "bench/result.hpp"
#include "output/table.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

struct standing {
  std::string matrix;
  double ratio = 0;
  bool lost = false;
  bool won = false;
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

/// A format against the best peers, over the classes.
struct figures {
  std::vector<standing> all;
  double class_mean = 0;
  double mean = 0;
  standing worst;
  standing best;
  std::size_t lost = 0;
  std::size_t won = 0;
  std::string lost_names;  ///< "a (0.912), b (0.955)"
  std::string each_class;  ///< "fem 1.234 (5), lp 1.012 (2)"
};

figures figures_of(const by_class& classes) {
  figures f;
  std::vector<double> means;
  for (const auto& [name, cases] : classes) {
    std::vector<double> ratios;
    for (const standing& one : cases) ratios.push_back(one.ratio);
    means.push_back(geometric_mean(ratios));
    f.all.insert(f.all.end(), cases.begin(), cases.end());
    f.each_class +=
        fmt::format("{}{} {:.3f} ({})", f.each_class.empty() ? "" : ", ", name, means.back(), cases.size());
  }
  f.class_mean = geometric_mean(means);
  std::vector<double> ratios;
  for (const standing& one : f.all) {
    ratios.push_back(one.ratio);
    if (one.won) ++f.won;
    if (!one.lost) continue;
    ++f.lost;
    f.lost_names += fmt::format("{}{} ({:.3f})", f.lost_names.empty() ? "" : ", ", one.matrix, one.ratio);
  }
  f.mean = geometric_mean(ratios);
  const auto less = [](const standing& a, const standing& b) { return a.ratio < b.ratio; };
  const auto [worst, best] = std::minmax_element(f.all.begin(), f.all.end(), less);
  f.worst = *worst;
  f.best = *best;
  return f;
}

std::string text_of(const std::string& title, const figures& f) {
  return fmt::format(
      "{} against the best peer, {} matrices: {:.3f} over the class means, {:.3f} over all; worst {:.3f} {}, "
      "best {:.3f} {}\n  lost {}{}{}\n  by class: {}\n",
      title, f.all.size(), f.class_mean, f.mean, f.worst.ratio, f.worst.matrix, f.best.ratio, f.best.matrix,
      f.lost, f.lost > 0 ? ": " : "", f.lost_names, f.each_class);
}

/// Calls use(row, its standing, its class) for each format with its default options that has a best peer.
template <class Use>
void for_each_standing(const json& rows, Use&& use) {
  for (const json& r : rows) {
    const json& best = r.at("vs_best_peer");
    if (best.is_null() || !r.value("default", false)) continue;
    const json& kind = r.at("class");
    const standing one{.matrix = title_of(r),
                       .ratio = best.at("ratio").get<double>(),
                       .lost = best.at("high").get<double>() < lost_below,
                       .won = best.at("low").get<double>() > won_above};
    use(r, one, kind.is_null() ? std::string("no class") : kind.get<std::string>());
  }
}

std::int64_t columns_of(const json& row) {
  return row.value("columns", std::int64_t{1});
}

std::string table_of(const std::string& situation, std::vector<std::pair<std::string, figures>> formats) {
  std::stable_sort(formats.begin(), formats.end(),
                   [](const auto& a, const auto& b) { return a.second.class_mean > b.second.class_mean; });
  std::string text = fmt::format("\nSpeed-up over the best peer of each matrix, {}:\n", situation);
  const table all({{.title = "  format", .width = 18, .left = true},
                   {.title = "matrices", .width = 8},
                   {.title = "mean of classes"},
                   {.title = "mean", .width = 6},
                   {.title = "worst", .width = 6},
                   {.title = "best", .width = 6},
                   {.title = "faster", .width = 6},
                   {.title = "slower", .width = 6}});
  text += all.head();
  for (const auto& [name, f] : formats)
    text += all.row({"  " + name, std::to_string(f.all.size()), fmt::format("{:.3f}", f.class_mean),
                     fmt::format("{:.3f}", f.mean), fmt::format("{:.3f}", f.worst.ratio),
                     fmt::format("{:.3f}", f.best.ratio), std::to_string(f.won), std::to_string(f.lost)});
  if (formats.size() > 2) return text;
  for (const auto& [name, f] : formats) {
    text += wrapped(fmt::format("  {}: worst {}, best {}\n", name, f.worst.matrix, f.best.matrix), 4);
    text += wrapped(fmt::format("  {}, slower: {}\n", name, f.lost > 0 ? f.lost_names : "none"), 4);
    text += wrapped(fmt::format("  {}, mean (matrices) of each class: {}\n", name, f.each_class), 4);
  }
  return text;
}

}  // namespace

std::string summary(const json& rows) {
  std::map<std::string, by_class> titles;
  for_each_standing(rows, [&](const json& r, const standing& one, const std::string& kind) {
    const std::int64_t columns = columns_of(r);
    const auto title = fmt::format("{} {} {}{}{}", r.at("format").get<std::string>(),
                                   r.at("value").get<std::string>(), r.at("cache").get<std::string>(),
                                   r.value("op", "forward") == "forward" ? "" : " transposed",
                                   columns == 1 ? "" : fmt::format(", {} columns", columns));
    titles[title][kind].push_back(one);
  });
  std::string text;
  for (const auto& [title, classes] : titles) text += text_of(title, figures_of(classes));
  return text;
}

std::string short_summary(const json& rows) {
  std::map<std::string, std::map<std::string, by_class>> situations;
  std::set<std::string> matrices;
  for_each_standing(rows, [&](const json& r, const standing& one, const std::string& kind) {
    const operation op = r.value("op", "forward") == "forward" ? operation::forward : operation::transposed;
    const std::string situation =
        fmt::format("{}, {}", r.at("value").get<std::string>(),
                    situation_text(r.at("cache").get<std::string>(), op, columns_of(r)));
    situations[situation][r.at("format").get<std::string>()][kind].push_back(one);
    matrices.insert(one.matrix);
  });
  if (matrices.size() < 2) return {};
  std::string text;
  for (const auto& [situation, formats] : situations) {
    std::vector<std::pair<std::string, figures>> each;
    for (const auto& [name, classes] : formats) each.emplace_back(name, figures_of(classes));
    text += table_of(situation, std::move(each));
  }
  return text +
         wrapped(fmt::format(
                     "mean of classes: geometric mean over the classes of matrices, after the geometric mean "
                     "over each class. faster, slower: numbers of matrices with the whole interval above {} "
                     "or below {}.\n",
                     won_above, lost_below),
                 0);
}

}  // namespace gossamer::cli
