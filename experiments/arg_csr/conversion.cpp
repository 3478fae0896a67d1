// SPDX-License-Identifier: BSD-3-Clause
// What every format's conversion costs on all cores and on one; the paper says of ARG-CSR's that it can be
// done in parallel.
#include "experiments/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "experiments/all_experiments.hpp"

namespace gossamer::experiments::arg_csr {
namespace {

constexpr std::array formats{
    "arg_csr", "row_grouped_csr", "sliced_ell", "ellpack", "ellpack_r", "csr", "pattern_csr", "csr_fragment",
    "coo",     "csr_gathered",    "jds",        "dia",     "brc",       "hyb", "diag_blocks", "bcoo",
    "bccoo",   "cached_x",        "packed"};

std::string alone(std::string_view format) {
  return fmt::format("{}, one core", format);
}

std::string threads_of(const rows& all) {
  const auto most = std::max_element(all.begin(), all.end(), [](const json& a, const json& b) {
    return member(&a, "threads").value_or(0) < member(&b, "threads").value_or(0);
  });
  return most == all.end() ? "all" : fmt::format("{:.0f}", member(&*most, "threads").value_or(0));
}

std::string conversion_report(const experiment& e, const rows& all) {
  const std::vector<conversion_line> lines = conversion_lines(e, all);
  std::size_t widest = 6;
  for (const conversion_line& line : lines) widest = std::max(widest, line.matrix.size());
  std::string text =
      fmt::format("{:<{}}  {:<15}  {:>12}  {:>16}  {:>12}  {:>13}\n", "matrix", widest, "format",
                  "CSR products", threads_of(all) + " threads, ms", "1 thread, ms", "times as fast");
  for (const conversion_line& line : lines) {
    if (std::find(formats.begin(), formats.end(), line.series) == formats.end()) continue;
    const json* const one = find_row(all, line.matrix, alone(line.series));
    const auto seconds = member(one, "inspect_seconds");
    const auto cell = [&](double number) {
      return seconds ? fmt::format("{:.2f}", number) : std::string("-");
    };
    text += fmt::format("{:<{}}  {:<15}  {:>12.1f}  {:>16.2f}  {:>12}  {:>13}\n", line.matrix, widest,
                        line.series, line.products, 1e3 * line.seconds, cell(1e3 * seconds.value_or(0)),
                        cell(seconds.value_or(0) / line.seconds));
  }
  return text;
}

}  // namespace

experiment conversion() {
  experiment e{.name = "arg_csr/conversion",
               .source = "paper 003, conversion from CSR",
               .shows = "what each format's conversion costs on the CPU, in products of plain CSR",
               .value = "f64",
               .matrices = {"stencil(nx=1000,ny=1000,points=5)", "fem(nx=28,dof=3)", "like(webbase-1M)",
                            "uniform(rows=1M,per_row=16)"},
               .report = conversion_report,
               .draw = [](const experiment& self, const rows& all) {
                 return conversion_bars(self, all, {formats.begin(), formats.end()});
               }};
  e.all_series.push_back({.label = std::string(plain_csr), .format = "csr", .where = place::all_of_cpu});
  for (const char* const format : formats) {
    e.all_series.push_back({.label = format, .format = format, .where = place::all_of_cpu});
    e.all_series.push_back(
        {.label = alone(format), .format = format, .where = place::one_cpu_core, .drawn = false});
  }
  return e;
}

}  // namespace gossamer::experiments::arg_csr
