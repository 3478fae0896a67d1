// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/bccoo/series.hpp"

#include <fmt/format.h>

namespace gossamer::experiments::bccoo {
namespace {

/// Behind the labels of series that run on one core.
constexpr const char* alone = ", one core";
/// Ours: the paper has the GPU's layout on GPUs only.
constexpr const char* uniform = "BCCOO, chunk-uniform";

bool is_alone(const std::string& label) {
  const std::string_view end = alone;
  return label.size() > end.size() && std::string_view(label).substr(label.size() - end.size()) == end;
}

}  // namespace

experiment over_table_i(const char* name, const char* figure, const char* shows) {
  experiment e{.name = fmt::format("bccoo/{}", name),
               .source = fmt::format("paper 001, {}", figure),
               .shows = shows,
               .value = "f64",
               .matrices = {"@bccoo"},
               .every_file = false,
               .all_series = {},
               .compared = comparison::none,
               .subject = {},
               .orders = {},
               .split = {},
               .drawn_from = {},
               .report = {},
               .draw = {}};
  for (const char* each : names_of_table_i)
    e.matrices.push_back(fmt::format("like({},values=few(100))", each));
  return e;
}

experiment on_gpu(const char* name, const char* figure, const char* shows) {
  experiment e = over_table_i(name, figure, shows);
  e.matrices.insert(e.matrices.begin() + 1, "@headline");
  e.all_series = {{.label = "BCCOO", .format = "bccoo"},
                  {.label = "cuSPARSE COO", .peer = "cusparse_coo"},
                  {.label = "cuSPARSE ALG1", .peer = "cusparse_csr_alg1", .drawn = false},
                  {.label = "cuSPARSE ALG2", .peer = "cusparse_csr_alg2", .drawn = false},
                  {.label = "cuSPARSE CSR", .fastest_of = {"cuSPARSE ALG1", "cuSPARSE ALG2"}},
                  {.label = "CSR", .format = "csr"}};
  e.compared = comparison::of_subject;
  e.subject = "BCCOO";
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all);
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

experiment on_cpu(const char* name, const char* figure, const char* shows) {
  experiment e = over_table_i(name, figure, shows);
  const series kinds[] = {
      {.label = "BCCOO", .format = "bccoo"},
      {.label = uniform, .format = "bccoo", .options = {{"codes", "chunk_uniform"}}, .drawn = false},
      {.label = "BCOO", .format = "bcoo"},
      {.label = "MKL CSR", .peer = "mkl"},
      {.label = "CSR", .format = "csr"}};
  for (const place where : {place::one_cpu_core, place::all_of_cpu}) {
    for (series each : kinds) {
      each.where = where;
      if (where == place::one_cpu_core) each.label += alone;
      e.all_series.push_back(std::move(each));
    }
  }
  e.orders = {{std::string("MKL CSR") + alone, std::string("BCCOO") + alone},
              {std::string("BCOO") + alone, std::string("BCCOO") + alone},
              {"BCCOO", "MKL CSR"},
              {"BCCOO", "BCOO"},
              {"BCCOO", std::string("BCCOO") + alone},
              {"MKL CSR", std::string("MKL CSR") + alone},
              {std::string(uniform) + alone, std::string("CSR") + alone},
              {uniform, "CSR"}};
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + orders_of(self, all);
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, true); };
  return e;
}

std::string cpu_speed_up_bars(const experiment& e, const rows& all) {
  std::vector<std::string> labels;
  for (const series& each : e.all_series) {
    if (each.format != "bccoo") labels.push_back(each.label);
  }
  return grouped_bars(e, all, "speed-up of BCCOO over", true, labels,
                      [&](const std::string& matrix, const std::string& label) -> std::optional<double> {
                        const std::string subject = std::string("BCCOO") + (is_alone(label) ? alone : "");
                        const auto slow = number(find_row(all, matrix, label), quantity::seconds);
                        const auto fast = number(find_row(all, matrix, subject), quantity::seconds);
                        if (!slow || !fast) return std::nullopt;
                        return *slow / *fast;
                      });
}

}  // namespace gossamer::experiments::bccoo
