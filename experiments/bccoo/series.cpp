// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/bccoo/series.hpp"

#include <fmt/format.h>

namespace gossamer::experiments::bccoo {
namespace {

/// Behind the labels of series that run on one core.
constexpr const char* alone = ", one core";
/// Ours: the paper has the GPU's layout on GPUs only.
constexpr const char* uniform = "BCCOO, chunk-uniform";

claim on_average(const std::string& faster, const std::string& slower, double least, std::string statement) {
  return {.statement = std::move(statement),
          .faster = faster,
          .slower = slower,
          .on = extent::average,
          .least = least};
}

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
               .claims = {},
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
  e.claims = {
      {.statement =
           "BCCOO is faster than cuSPARSE's COO on every matrix but rajat31 and tmt_unsym (section 3.2, "
           "Figure 2)",
       .faster = "BCCOO",
       .slower = "cuSPARSE COO",
       .except = slower_than_coo()},
      on_average("BCCOO", "cuSPARSE CSR", over_cusparse_csr,
                 "BCCOO is 1.2 times as fast as cuSPARSE's CSR on the average (section 3.2)"),
      on_average("BCCOO", "cuSPARSE CSR", over_cusparse,
                 "BCCOO is 1.4 times as fast as cuSPARSE's CSR on the average (section 3.4, Figure 6)"),
      on_average("BCCOO", "cuSPARSE COO", over_cusparse,
                 "BCCOO is 1.4 times as fast as cuSPARSE's COO on the average (section 3.4, Figure 6)")};
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + speed_ups(self, all) + claims_of(self, all);
  };
  e.draw = [](const experiment& self, const rows& all) { return bars(self, all, quantity::gflops, false); };
  return e;
}

experiment on_cpu(const char* name, const char* figure, const char* shows, const printed_averages& printed) {
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
  e.claims = {
      on_average(
          std::string("MKL CSR") + alone, std::string("BCCOO") + alone, printed.mkl_csr_alone,
          fmt::format("on one core MKL's CSR is {} times as fast as BCCOO on the average (section 3.4)",
                      printed.mkl_csr_alone)),
      on_average(std::string("BCOO") + alone, std::string("BCCOO") + alone, printed.bcoo_alone,
                 fmt::format("on one core BCOO is {} times as fast as BCCOO on the average (section 3.3)",
                             printed.bcoo_alone)),
      on_average(
          "BCCOO", "MKL CSR", printed.over_mkl_csr,
          fmt::format(
              "on all cores BCCOO is at least {} times as fast as MKL's CSR on the average (section 3.4)",
              printed.over_mkl_csr)),
      on_average("BCCOO", "BCOO", printed.over_bcoo,
                 fmt::format("on all cores BCCOO is {} times as fast as BCOO on the average (section 3.3)",
                             printed.over_bcoo)),
      on_average(
          std::string(uniform) + alone, std::string("CSR") + alone, 0.8,
          "ours: on one core BCCOO with codes = chunk_uniform is 0.8 times as fast as CSR on the average"),
      on_average(uniform, "CSR", 1,
                 "ours: on all cores BCCOO with codes = chunk_uniform is as fast as CSR on the average")};
  e.report = [](const experiment& self, const rows& all) {
    return table_of(self, all, quantity::gflops) + claims_of(self, all);
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
