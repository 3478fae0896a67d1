// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/partition/products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "experiments/conclude.hpp"
#include "experiments/partition/series.hpp"
#include "experiments/ratios.hpp"

namespace gossamer::experiments::partition {
namespace {

experiment of_products(std::string_view name, std::string_view figure, std::string_view shows,
                       std::string_view value, quantity what, std::span<const printed_gain> printed,
                       std::vector<std::string> alike) {
  const std::string full_name = fmt::format("partition/{}", name);
  std::erase(alike, full_name);
  experiment e{.name = full_name,
               .source = fmt::format("paper 004, {}", figure),
               .shows = fmt::format("{}, {}", what == quantity::seconds ? "time" : "flop-rate", shows),
               .value = std::string(value),
               .matrices = {"@partition"}};
  e.drawn_from = std::move(alike);
  e.report = [what, printed](const experiment& self, const rows& all) {
    return table_of(self, all, what) + powers_of(all) + sharing_of(all) + gains_of(all, printed) +
           orders_of(self, all);
  };
  e.draw = [what](const experiment& self, const rows& all) {
    return bars(self, all, what, what == quantity::seconds);
  };
  return e;
}

/// Of rows' value; the paper's averages are of one type each.
std::string value_of(const rows& all) {
  return all.empty() ? std::string() : all.front().value("value", std::string());
}

}  // namespace

experiment of_test1(std::string_view name, std::string_view figure, std::string_view value, quantity what) {
  experiment e = of_products(name, figure, "Test 1: rows partitioned among the cores, and MKL", value, what,
                             printed_gains1,
                             value == "f32" ? std::vector<std::string>{"partition/fig6", "partition/fig8"}
                                            : std::vector<std::string>{"partition/fig7", "partition/fig9"});
  constexpr auto cores = parties::each_core;
  e.all_series = {{.label = mkl, .peer = "mkl", .where = place::all_of_cpu},
                  {.label = algorithms[0], .format = "pattern_csr", .algorithm = "rows", .among = cores},
                  {.label = algorithms[1], .format = "pattern_csr", .algorithm = "nnz", .among = cores},
                  {.label = algorithms[2], .format = "pattern_csr", .algorithm = "pmf", .among = cores},
                  {.label = algorithm4, .format = "diag_blocks", .where = place::all_of_cpu},
                  {.label = one_plan, .format = "pattern_csr", .where = place::all_of_cpu, .drawn = false}};
  e.orders = {{algorithms[1], algorithms[0]}, {algorithms[1], mkl}, {one_plan, algorithms[1]}};
  return e;
}

experiment of_test2(std::string_view name, std::string_view figure, std::string_view value, quantity what) {
  experiment e =
      of_products(name, figure, "Test 2: rows partitioned among GPUs and cores", value, what, printed_gains2,
                  value == "f32" ? std::vector<std::string>{"partition/fig11", "partition/fig13"}
                                 : std::vector<std::string>{"partition/fig12", "partition/fig14"});
  constexpr auto everyone = parties::gpus_and_cores;
  // The paper's HYB cuts alone, and of Algorithm 3's sets it takes ELL alone.
  e.all_series = {{.label = algorithms[0],
                   .format = "pattern_csr",
                   .algorithm = "rows",
                   .among = everyone,
                   .gpu_format = "hyb"},
                  {.label = algorithms[1],
                   .format = "pattern_csr",
                   .algorithm = "nnz",
                   .among = everyone,
                   .gpu_format = "hyb"},
                  {.label = algorithms[2],
                   .format = "pattern_csr",
                   .algorithm = "pmf",
                   .among = everyone,
                   .gpu_format = "ellpack"},
                  {.label = algorithm4_published,
                   .format = "pattern_csr",
                   .gpu_options = {{"max_padding", "100"}},
                   .among = parties::blocks_on_gpu,
                   .gpu_format = "dia"},
                  {.label = algorithm4, .format = "diag_blocks", .among = parties::one_gpu},
                  {.label = rebalanced,
                   .format = "pattern_csr",
                   .algorithm = "nnz",
                   .among = everyone,
                   .gpu_format = "csr",
                   .rebalanced = true},
                  {.label = gpu_alone, .format = "csr", .among = parties::one_gpu, .drawn = false},
                  {.label = one_plan, .format = "pattern_csr", .where = place::all_of_cpu, .drawn = false}};
  e.orders = {{algorithms[1], gpu_alone},
              {rebalanced, gpu_alone},
              {rebalanced, one_plan},
              {algorithm4_published, algorithms[0]}};
  return e;
}

std::optional<double> product_seconds(const json* row, bool with_sharing) {
  const std::optional<double> seconds = number(row, quantity::seconds);
  if (!seconds || !with_sharing) return seconds;
  return *seconds + sharing_seconds(row).value_or(0);
}

gain gain_over(const rows& all, std::string_view over, bool with_sharing) {
  std::vector<double> less, more;
  for (const std::string& matrix : matrices_of(all)) {
    const auto own = product_seconds(find_row(all, matrix, algorithms[2]), with_sharing);
    const auto other = product_seconds(find_row(all, matrix, over), with_sharing);
    if (!own || !other) continue;
    less.push_back(100 * (1 - *own / *other));
    more.push_back(100 * (*other / *own - 1));
  }
  if (less.empty()) return {};
  return {less.size(), arithmetic_mean(less), arithmetic_mean(more)};
}

std::string gains_of(const rows& all, std::span<const printed_gain> printed) {
  const std::string value = value_of(all);
  std::string text;
  for (const printed_gain& each : printed) {
    if (each.value != value) continue;
    const gain apart = gain_over(all, each.over, false);
    text += fmt::format("Algorithm 3 against {}: ", each.over);
    if (apart.matrices == 0) {
      text += "not measured\n";
      continue;
    }
    const gain with_sharing = gain_over(all, each.over, true);
    text += fmt::format(
        "{:.1f} % less time ({:.2f} in the paper), {:.1f} % higher flop-rate ({:.2f}); with the partitioning "
        "{:.1f} % and {:.1f} %; means over {} matrices\n",
        apart.less_time, each.less_time, apart.higher_rate, each.higher_rate, with_sharing.less_time,
        with_sharing.higher_rate, apart.matrices);
  }
  return text;
}

std::string powers_of(const rows& all) {
  std::string text;
  for (const json& row : all) {
    const std::optional<gpu_power> power = power_of_gpu(row);
    if (power)
      text +=
          fmt::format("{}, {}: a GPU counts as {:.3g} cores and has {:.0f} % of the nonzeros\n",
                      title_of(row), row.at("series").get<std::string>(), power->cores, 100 * power->share);
  }
  return text;
}

std::optional<gpu_power> power_of_gpu(const json& row) {
  const auto parts = row.find("parts");
  const auto sets = row.find("partition");
  if (parts == row.end() || !parts->is_array() || sets == row.end() || !sets->is_object())
    return std::nullopt;
  const json& powers = sets->at("powers");
  if (powers.size() != parts->size()) return std::nullopt;  // a part without power has no rows
  double on_gpu = 0;
  double of_core = 0;
  double nnz = 0;
  double nnz_on_gpus = 0;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    const json& part = (*parts)[k];
    nnz += part.at("nnz").get<double>();
    if (part.at("where") == "cpu") {
      of_core = powers[k].get<double>() / std::max(1.0, member(&part, "threads").value_or(1));
    } else {
      on_gpu = powers[k].get<double>();
      nnz_on_gpus += part.at("nnz").get<double>();
    }
  }
  if (!(of_core > 0 && on_gpu > 0 && nnz > 0)) return std::nullopt;
  return gpu_power{.cores = on_gpu / of_core, .share = nnz_on_gpus / nnz};
}

std::string sharing_of(const rows& all) {
  std::string text = "partitioning, in products:\n";
  for (const std::string& matrix : matrices_of(all)) {
    std::string each;
    for (const json& row : all) {
      const auto product = title_of(row) == matrix ? number(&row, quantity::seconds) : std::nullopt;
      const auto sharing = sharing_seconds(&row);
      if (product && sharing)
        each += fmt::format("  {} {:.3g}", row.at("series").get<std::string>(), *sharing / *product);
    }
    text += fmt::format("{}{}\n", matrix, each.empty() ? "  -" : each);
  }
  return text;
}

}  // namespace gossamer::experiments::partition
