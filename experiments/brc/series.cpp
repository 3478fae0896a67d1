// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/series.hpp"

#include <fmt/format.h>

namespace gossamer::experiments::brc {
series of_brc() {
  return {.label = "BRC", .format = "brc"};
}

series of_brc_as_published() {
  return {.label = "BRC as published",
          .format = "brc",
          .options = {{"block_rows", "32"},
                      {"block_width", "published"},
                      {"accumulate", "atomic"},
                      {"threads_per_row", "1"}}};
}

series of_brc_coarsened() {
  series coarsened = of_brc_as_published();
  coarsened.label += ", coarsened";
  coarsened.gpu_options = {{"coarsening", "8"}};
  return coarsened;
}

series of_csr() {
  return {.label = "CSR, best kernel", .format = "csr", .how = effort::searched};
}

series of_hyb() {
  return {.label = "HYB", .format = "hyb"};
}

series of_jds() {
  return {.label = "JDS", .format = "jds"};
}

series of_rg12() {
  return {.label = "RG12", .format = "csr", .options = {{"kernel", "adaptive"}}};
}

experiment over_the_table(std::string_view name, std::string_view source, std::string_view shows) {
  return {.name = fmt::format("brc/{}", name),
          .source = fmt::format("paper 000, {}", source),
          .shows = std::string(shows),
          .value = "f64",
          .matrices = {"@brc"},
          .every_file = false,
          .all_series = {},
          .compared = comparison::none,
          .subject = {},
          .orders = {},
          .split = {},
          .drawn_from = {},
          .report = {},
          .draw = {}};
}

experiment of_formats(std::string_view name, std::string_view source, std::string_view shows) {
  experiment e = over_the_table(name, source, shows);
  e.all_series = {of_brc(), of_brc_as_published(), of_brc_coarsened(), of_csr(), of_hyb(), of_jds(),
                  of_rg12()};
  std::vector<std::string> cusparse;
  for (const char* peer :
       {"cusparse_csr_alg1", "cusparse_csr_alg2", "cusparse_coo", "cusparse_sliced_ell", "cusparse_bsr"}) {
    e.all_series.push_back({.label = peer, .peer = peer, .drawn = false});
    cusparse.emplace_back(peer);
  }
  e.all_series.push_back({.label = "cuSPARSE, best", .fastest_of = cusparse});
  e.all_series.push_back({.label = "MKL", .peer = "mkl"});
  e.compared = comparison::of_subject;
  e.subject = "BRC";
  return e;
}

experiment of_parts(std::string_view name, std::string_view source, std::string_view shows) {
  experiment e = over_the_table(name, source, shows);
  e.split = {.format = "hyb", .option = "width"};
  e.all_series = {
      {.label = coo_by_coo, .format = "coo", .of = portion::tail},
      {.label = coo_by_brc, .format = "brc", .of = portion::tail},
      {.label = ell_by_ell, .format = "ellpack", .of = portion::head},
      {.label = ell_by_brc, .format = "brc", .of = portion::head},
      {.label = "BRC", .format = "brc", .drawn = false},
      {.label = "HYB", .format = "hyb", .drawn = false},
      {.label = "ELL + BRC", .format = "hyb", .options = {{"tail", "brc"}}, .drawn = false},
      {.label = "BRC + COO", .format = "hyb", .options = {{"head", "brc"}}, .drawn = false},
      {.label = "BRC + BRC", .format = "hyb", .options = {{"head", "brc"}, {"tail", "brc"}}, .drawn = false}};
  e.orders = {{coo_by_brc, coo_by_coo}, {ell_by_brc, ell_by_ell}};
  return e;
}

experiment of_search(std::string_view name, std::string_view source, std::string_view shows) {
  experiment e = over_the_table(name, source, shows);
  e.all_series = {{.label = tuned, .format = "brc", .how = effort::searched}, of_brc(), of_rg12()};
  // Reguly and Giles choose the threads of a row by timing too.
  series fastest{.label = "RG12, tuned", .fastest_of = {of_rg12().label}};
  for (const char* threads : {"1", "2", "4", "8", "16", "32"}) {
    series one = of_rg12();
    one.label += fmt::format(", {} threads", threads);
    one.options.emplace_back("threads_per_row", threads);
    one.drawn = false;
    fastest.fastest_of.push_back(one.label);
    e.all_series.push_back(std::move(one));
  }
  e.all_series.push_back(std::move(fastest));
  e.compared = comparison::of_subject;
  e.subject = tuned;
  return e;
}

}  // namespace gossamer::experiments::brc
