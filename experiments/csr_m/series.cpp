// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/csr_m/series.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace gossamer::experiments::csr_m {
namespace {

/// The figures `alike` show one measurement in different units.
experiment over_the_table(std::string_view name, std::string_view figure, std::string_view shows,
                          quantity what, bool logarithmic, std::vector<std::string> alike) {
  const std::string full_name = fmt::format("csr_m/{}", name);
  std::erase(alike, full_name);
  return {.name = full_name,
          .source = fmt::format("paper 002, {}", figure),
          .shows = std::string(shows),
          .value = "f32",
          .matrices = {"@csr_m"},
          .every_file = false,
          .all_series = {},
          .compared = comparison::none,
          .subject = {},
          .orders = {},
          .drawn_from = std::move(alike),
          .report = [what](const experiment& e,
                           const rows& all) { return table_of(e, all, what) + orders_of(e, all); },
          .draw = [what, logarithmic](const experiment& e,
                                      const rows& all) { return bars(e, all, what, logarithmic); }};
}

}  // namespace

experiment of_csr(std::string_view name, std::string_view figure, std::string_view shows, quantity what,
                  bool logarithmic) {
  experiment e =
      over_the_table(name, figure, shows, what, logarithmic, {"csr_m/fig12", "csr_m/fig13", "csr_m/fig14"});
  constexpr auto csr = bandwidth_formula::csr;
  // Formula (3), of CSR-M, leaves its gather step out, which a product has. There is no formula for CSR-B,
  // whose arrays are CSR's and 8 bytes a fragment.
  e.all_series = {
      {.label = "CSR-R", .format = "csr", .options = {{"kernel", "warp"}}, .formula = csr},
      {.label = "CSR-O", .format = "csr", .options = {{"kernel", "half_warp"}}, .formula = csr},
      {.label = "CSR-M with gather", .format = "csr_gathered"},
      {.label = "CSR-B", .format = "csr_fragment", .options = {{"fragment", "1024"}}, .formula = csr},
      {.label = "cuSPARSE ALG1", .peer = "cusparse_csr_alg1", .formula = csr, .drawn = false},
      {.label = "cuSPARSE ALG2", .peer = "cusparse_csr_alg2", .formula = csr, .drawn = false},
      {.label = "cuSPARSE CSR", .fastest_of = {"cuSPARSE ALG1", "cuSPARSE ALG2"}, .formula = csr}};
  e.orders = {
      {"CSR-O", "CSR-R"}, {"CSR-M with gather", "CSR-O"}, {"CSR-M with gather", "CSR-R"}, {"CSR-B", "CSR-O"}};
  return e;
}

experiment of_ellpack(std::string_view name, std::string_view figure, std::string_view shows, quantity what,
                      bool logarithmic) {
  experiment e =
      over_the_table(name, figure, shows, what, logarithmic, {"csr_m/fig15", "csr_m/fig16", "csr_m/fig17"});
  constexpr auto with_lengths = bandwidth_formula::ellpack_r;
  e.all_series = {{.label = "ELLPACK", .format = "ellpack", .formula = bandwidth_formula::ellpack},
                  {.label = "ELLPACK-R, T = 1",
                   .format = "ellpack_r",
                   .options = {{"threads_per_row", "1"}},
                   .formula = with_lengths},
                  {.label = "ELLPACK-R", .format = "ellpack_r", .formula = with_lengths}};
  e.orders = {{"ELLPACK-R", "ELLPACK"}, {"ELLPACK-R, T = 1", "ELLPACK"}, {"ELLPACK-R", "ELLPACK-R, T = 1"}};
  return e;
}

}  // namespace gossamer::experiments::csr_m
