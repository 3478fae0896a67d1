// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/brc/series.hpp"

#include <fmt/format.h>

#include "experiments/brc/printed.hpp"

namespace gossamer::experiments::brc {
namespace {

/// σ of more than none, up to two thirds of the mean.
constexpr double hybrid_up_to = 2.0 / 3.0;

claim beats(const char* faster, const char* slower, const char* statement,
            std::vector<std::string> except = {}) {
  return {.statement = statement,
          .faster = faster,
          .slower = slower,
          .except = std::move(except),
          .about = printed_names()};
}

claim beats_on_average(const char* slower, const char* statement) {
  return {.statement = statement,
          .faster = "BRC",
          .slower = slower,
          .on = extent::average,
          .about = printed_names()};
}

}  // namespace

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
          .claims = {},
          .split = {},
          .drawn_from = {},
          .report = {},
          .draw = {}};
}

experiment of_formats(std::string_view name, std::string_view source, std::string_view shows) {
  experiment e = over_the_table(name, source, shows);
  e.all_series = {of_brc(), of_brc_as_published(), of_csr(), of_hyb(), of_jds(), of_rg12()};
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
  e.claims = {
      beats("BRC", "CSR, best kernel", "BRC is faster than CSR on every matrix (section 5, Figure 4)"),
      beats("BRC", "HYB",
            "BRC is faster than HYB on every matrix but EPI, where HYB is slightly better (section 5, Figure "
            "4)",
            {"mc2depi"}),
      beats("BRC", "JDS", "BRC is faster than JDS on every matrix (section 5, Figure 4)"),
      beats("BRC", "RG12", "BRC is faster than RG12 on every matrix (section 5, Figure 4)"),
      beats_on_average("CSR, best kernel", "BRC is faster than CSR on the average (Table 3)"),
      beats_on_average("HYB", "BRC is faster than HYB on the average (Table 3)"),
      beats_on_average("JDS", "BRC is faster than JDS on the average (Table 3)"),
      beats_on_average("RG12", "BRC is faster than RG12 on the average (Table 3)"),
      beats_on_average("cuSPARSE, best",
                       "BRC is faster than cuSPARSE's best format on the average (section 8)")};
  // Table 3 is about what the paper has: Equation (3), one thread a row and atomic additions.
  for (const char* slower : {"CSR, best kernel", "HYB", "JDS", "RG12", "cuSPARSE, best"}) {
    claim as_published = beats_on_average(slower, "the same of BRC as published");
    as_published.faster = of_brc_as_published().label;
    e.claims.push_back(std::move(as_published));
  }
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
  claim hybrid_over_brc =
      beats("ELL + BRC", "BRC", "ELL + BRC is faster than BRC alone where 0 < σ ≤ ⅔ μ (section 8)");
  claim hybrid_over_hyb =
      beats("ELL + BRC", "HYB", "ELL + BRC is faster than HYB where 0 < σ ≤ ⅔ μ (section 8)");
  for (claim* each : {&hybrid_over_brc, &hybrid_over_hyb}) {
    each->more_than = 0;
    each->at_most = hybrid_up_to;
  }
  e.claims = {
      beats(coo_by_brc, coo_by_coo,
            "BRC is faster than COO on the COO part of every matrix (section 5, Figure 9a)"),
      beats(ell_by_brc, ell_by_ell,
            "BRC is faster than ELL on the ELL part, but on ECO, EPI, LP and WEB (section 5, Figure 9b)",
            {"mac_econ_fwd500", "mc2depi", "rail4284", "webbase-1M"}),
      hybrid_over_brc, hybrid_over_hyb};
  return e;
}

experiment of_search(std::string_view name, std::string_view source, std::string_view shows) {
  experiment e = over_the_table(name, source, shows);
  e.all_series = {{.label = tuned, .format = "brc", .how = effort::searched}, of_brc(), of_rg12()};
  e.compared = comparison::of_subject;
  e.subject = tuned;
  e.claims = {
      {.statement =
           "the model reaches 96 % of the best of a search over 24 settings, on the average (section 5)",
       .faster = "BRC",
       .slower = tuned,
       .on = extent::average,
       .least = 0.96,
       .about = printed_names(),
       .tried = 24},
      beats(tuned, "RG12", "tuned BRC is faster than RG12 on every matrix (section 5, Figure 7)")};
  return e;
}

}  // namespace gossamer::experiments::brc
