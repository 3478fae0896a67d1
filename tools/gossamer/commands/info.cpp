// SPDX-License-Identifier: BSD-3-Clause
// gossamer info: what a matrix looks like, and what every format would make of it.
#include <fmt/format.h>

#include <bit>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "arguments/file_argument.hpp"
#include "arguments/matrix_argument.hpp"
#include "arguments/option_texts.hpp"
#include "arguments/resource_argument.hpp"
#include "arguments/usage_error.hpp"
#include "arguments/value_argument.hpp"
#include "arguments/without_prefix.hpp"
#include "bench_support/catalog/matrix_catalog.hpp"
#include "commands/commands.hpp"
#include "gossamer/error.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"
#include "output/like_report.hpp"
#include "output/output.hpp"
#include "output/spy.hpp"
#include "output/table.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

struct info_options {
  std::vector<std::string> matrices;
  std::string folder;
  bool as_json = false;
  std::string spy;
  bool transposed = false;
  std::string value = "f64";
  resource_argument where;
};

struct findings {
  matrix_facts facts;
  row_statistics rows;
  row_length_distribution lengths;
  entry_statistics entries;
  bool f64 = true;
  std::vector<std::pair<std::string_view, format_forecast>> formats;
  std::vector<format_forecast> transposed;  ///< of the transpose, format by format; empty where not asked for
};

template <value V, offset O>
format_forecast forecast_default(const csr_view<V, O>& a, const row_statistics& statistics,
                                 std::string_view format, const resource& where) {
  try {
    return forecast(a, statistics, format, {}, where);
  } catch (const error& problem) {
    if (problem.code() != errc::unsupported) throw;
    return {.refusal = without_prefix(problem.what(), format)};
  }
}

template <value V, offset O>  // They are moved. NOLINTNEXTLINE(performance-unnecessary-value-param)
findings examine(matrix_facts facts, const csr_view<V, O>& a, const resource& where, bool transposed) {
  findings f{.facts = std::move(facts),
             .rows = measure_rows(a),
             .lengths = measure_row_lengths(a),
             .entries = measure_entries(a),
             .f64 = sizeof(V) == 8};
  for (const format_info& format : list_formats())
    f.formats.emplace_back(format.name, forecast_default(a, f.rows, format.name, where));
  if (transposed) {
    const csr_matrix<V, O> at = transpose(a);
    const row_statistics its_rows = measure_rows(at.view());
    for (const format_info& format : list_formats())
      f.transposed.push_back(forecast_default(at.view(), its_rows, format.name, where));
  }
  return f;
}

stand_in_figures figures_of(const findings& f) {
  stand_in_figures figures{.rows = f.rows, .hyb = bench_support::divide_as_cusp(f.lengths)};
  if (f.f64 && f.rows.nnz > 0) {
    const std::int64_t groups = (f.rows.rows + 31) / 32;
    figures.sectors_per_entry =
        f.entries.sectors_per_32_rows * static_cast<double>(groups) / static_cast<double>(f.rows.nnz);
  }
  return figures;
}

json to_json(const format_forecast& forecast) {
  return {{"options", joined(forecast.options)},
          {"bytes", forecast.bytes},
          {"status", forecast.refusal.empty() ? "ok" : "unsupported"},
          {"reason", forecast.refusal}};
}

json to_json(const findings& f) {
  json pmf = json::array();
  for (const auto& [length, rows] : f.lengths) pmf.push_back(json::array({length, rows}));
  json formats = json::array();
  for (std::size_t k = 0; k < f.formats.size(); ++k) {
    const auto& [name, forecast] = f.formats[k];
    json format = {{"format", name}};
    format.update(to_json(forecast));
    if (!f.transposed.empty()) format["transposed"] = to_json(f.transposed[k]);
    formats.push_back(std::move(format));
  }
  const row_statistics& r = f.rows;
  json object = {
      {"matrix", f.facts.name},
      {"rows", r.rows},
      {"cols", r.cols},
      {"nnz", r.nnz},
      {"symmetry", f.facts.symmetry},
      {"field", f.facts.field},
      {"values", f.facts.values},
      {"row_length",
       {{"mean", r.mean}, {"sd", r.standard_deviation}, {"min", r.min}, {"max", r.max}, {"empty", r.empty}}},
      {"pmf", pmf},
      {"distinct_values", f.entries.distinct_values},
      {"bandwidth", f.entries.bandwidth},
      {"x_sectors_per_32_rows", f.entries.sectors_per_32_rows},
      {"formats", formats}};
  if (f.facts.stand_in)
    object["like"] = like_json(bench_support::find_known_matrix(*f.facts.stand_in), figures_of(f));
  return object;
}

/// Every length where they are few, else powers of two.
std::vector<std::pair<std::string, std::int64_t>> grouped(const row_length_distribution& lengths) {
  std::vector<std::pair<std::string, std::int64_t>> groups;
  constexpr std::size_t few = 16;
  if (lengths.size() <= few) {
    for (const auto& [length, rows] : lengths) groups.emplace_back(std::to_string(length), rows);
    return groups;
  }
  std::map<int, std::int64_t> powers;
  for (const auto& [length, rows] : lengths)
    powers[static_cast<int>(std::bit_width(static_cast<std::uint64_t>(length)))] += rows;
  for (const auto& [bits, rows] : powers) {
    const std::int64_t first = bits == 0 ? 0 : std::int64_t{1} << (bits - 1);
    groups.emplace_back(first < 2 ? std::to_string(first) : fmt::format("{}-{}", first, 2 * first - 1), rows);
  }
  return groups;
}

void print_lengths(const findings& f) {
  const table lengths(
      {{.title = "row length", .width = 14}, {.title = "rows", .width = 10}, {.title = "share", .width = 7}});
  print("\n" + lengths.head());
  for (const auto& [length, rows] : grouped(f.lengths))
    print(lengths.row(
        {length, std::to_string(rows),
         fmt::format("{:.1f} %", 100.0 * static_cast<double>(rows) / static_cast<double>(f.rows.rows))}));
}

void print_forecasts(const findings& f, std::string_view title, std::span<const format_forecast> forecasts) {
  const table formats({{.title = std::string(title), .width = 15, .left = true},
                       {.title = "bytes", .width = 8},
                       {.title = "B/nonzero"},
                       {.title = "options", .left = true}});
  print("\n" + formats.head());
  for (std::size_t k = 0; k < forecasts.size(); ++k) {
    const format_forecast& forecast = forecasts[k];
    const std::string_view name = f.formats[k].first;
    if (!forecast.refusal.empty()) {
      print(wrapped(fmt::format("{:<15}  refused: {}\n", name, forecast.refusal), 19));
      continue;
    }
    const double each = static_cast<double>(forecast.bytes) / static_cast<double>(f.rows.nnz);
    print(wrapped(formats.row({std::string(name), bytes_text(forecast.bytes),
                               f.rows.nnz > 0 ? fmt::format("{:.2f}", each) : "-", joined(forecast.options)}),
                  38));
  }
}

void print_formats(const findings& f) {
  std::vector<format_forecast> forward;
  for (const auto& [name, forecast] : f.formats) forward.push_back(forecast);
  print_forecasts(f, "format", forward);
  if (!f.transposed.empty()) print_forecasts(f, "of transpose", f.transposed);
}

void print_text(const findings& f) {
  const row_statistics& r = f.rows;
  const std::string distinct =
      f.entries.distinct_values > 256 ? "more than 256" : std::to_string(f.entries.distinct_values);
  print(wrapped(fmt::format("{}: {} x {}, {} nonzeros, {} {}\n", f.facts.name, r.rows, r.cols, r.nnz,
                            f.facts.symmetry, f.facts.field),
                4));
  print(fmt::format("row length      mean {:.4g}, standard deviation {:.4g}, min {}, max {}, {} empty rows\n",
                    r.mean, r.standard_deviation, r.min, r.max, r.empty));
  print(fmt::format("bandwidth       {}\n", f.entries.bandwidth));
  print(fmt::format("values          {}\n", f.facts.values));
  print(fmt::format("distinct values {}\n", distinct));
  print(fmt::format("locality        32 rows read {:.4g} different sectors of x (32 bytes each)\n",
                    f.entries.sectors_per_32_rows));
  if (f.facts.stand_in) print(like_text(bench_support::find_known_matrix(*f.facts.stand_in), figures_of(f)));
  print_lengths(f);
  print_formats(f);
}

template <value V>
void info_of(const matrix_member& member, const info_options& o, const resource& where) {
  auto loaded = load_matrix<V>(member);
  const findings f = std::visit(
      [&](const auto& a) {
        if (!o.spy.empty()) write_text_file(o.spy, spy_picture(a.view(), loaded.facts.name));
        return examine(loaded.facts, a.view(), where, o.transposed);
      },
      loaded.matrix);
  if (o.as_json)
    print(to_line(to_json(f)));
  else
    print_text(f);
  flush_output();
}

template <value V>
int info(const info_options& o) {
  const std::vector<matrix_member> members = expand_matrices(o.matrices, o.folder);
  check_files(files_of(members), {o.spy});
  const resource where = o.where.planned();
  if (!o.spy.empty() && members.size() != 1) fail_usage("info: --spy draws only one matrix");
  bool first = true;
  for (const matrix_member& member : members) {
    if (!member.absent_reason.empty()) {
      remark(fmt::format("{}: left out: {}", member.argument, member.absent_reason));
      continue;
    }
    if (!first && !o.as_json) print("\n");
    first = false;
    info_of<V>(member, o, where);
  }
  return 0;
}

}  // namespace

void add_info(command_line& line, action& chosen) {
  subcommand command =
      line.add_subcommand("info", "Describe a matrix, and show the memory that each format needs for it");
  const auto o = std::make_shared<info_options>();
  command.add_option("MATRIX", o->matrices, matrices_help).required();
  command.add_flag("--json", o->as_json, "Print one line of JSON for each matrix");
  add_matrices_to(command, o->folder);
  writes_file(
      command.add_option("--spy", o->spy, "Draw the positions of the entries as an SVG file; - is stdout"));
  command.add_flag("--transposed", o->transposed,
                   "Also show the memory that each format needs for the transpose");
  add_value_to(command, o->value);
  o->where.add_device_to(command);
  command.callback([&chosen, o] {
    chosen = [o] { return with_value_type(o->value, [&]<class V>() { return info<V>(*o); }); };
  });
}

}  // namespace gossamer::cli
