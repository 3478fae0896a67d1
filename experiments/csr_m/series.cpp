// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/csr_m/series.hpp"

#include <fmt/format.h>

namespace gossamer::experiments::csr_m {
namespace {

experiment over_the_table(std::string_view name, std::string_view figure, std::string_view shows,
                          quantity what, bool logarithmic) {
  return {.name = fmt::format("csr_m/{}", name),
          .source = fmt::format("paper 002, {}", figure),
          .shows = std::string(shows),
          .value = "f32",
          .matrices = {"@csr_m"},
          .every_file = false,
          .all_series = {},
          .compared = comparison::none,
          .subject = {},
          .orders = {},
          .report = [what](const experiment& e,
                           const rows& all) { return table_of(e, all, what) + orders_of(e, all); },
          .draw = [what, logarithmic](const experiment& e,
                                      const rows& all) { return bars(e, all, what, logarithmic); }};
}

}  // namespace

experiment of_csr(std::string_view name, std::string_view figure, std::string_view shows, quantity what,
                  bool logarithmic) {
  experiment e = over_the_table(name, figure, shows, what, logarithmic);
  constexpr auto csr = bandwidth_formula::csr;
  // The paper gives no formula for CSR-B, whose arrays are CSR's and 8 bytes a fragment.
  e.all_series = {
      {.label = "CSR-R", .format = "csr", .options = {{"kernel", "warp"}}, .formula = csr},
      {.label = "CSR-O", .format = "csr", .options = {{"kernel", "half_warp"}}, .formula = csr},
      {.label = "CSR-M",
       .format = "csr_gathered",
       .gathered = true,
       .formula = bandwidth_formula::csr_gathered},
      {.label = "CSR-M with gather", .format = "csr_gathered"},
      {.label = "CSR-B", .format = "csr_fragment", .options = {{"fragment", "1024"}}, .formula = csr},
      {.label = "cuSPARSE ALG1", .peer = "cusparse_csr_alg1", .formula = csr, .drawn = false},
      {.label = "cuSPARSE ALG2", .peer = "cusparse_csr_alg2", .formula = csr, .drawn = false},
      {.label = "cuSPARSE CSR", .fastest_of = {"cuSPARSE ALG1", "cuSPARSE ALG2"}, .formula = csr}};
  e.orders = {{"CSR-O", "CSR-R"},
              {"CSR-M", "CSR-O"},
              {"CSR-M", "CSR-R"},
              {"CSR-M with gather", "CSR-O"},
              {"CSR-B", "CSR-O"}};
  return e;
}

experiment of_ellpack(std::string_view name, std::string_view figure, std::string_view shows, quantity what,
                      bool logarithmic) {
  experiment e = over_the_table(name, figure, shows, what, logarithmic);
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
