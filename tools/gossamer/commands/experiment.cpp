// SPDX-License-Identifier: BSD-3-Clause
// gossamer experiment: measures a paper's table or figure again, and draws it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "arguments/file_argument.hpp"
#include "arguments/usage_error.hpp"
#include "bench/schema.hpp"
#include "commands/commands.hpp"
#include "experiment/measure.hpp"
#include "experiment/record.hpp"
#include "experiment/settings.hpp"
#include "experiments/all_experiments.hpp"
#include "experiments/rows.hpp"
#include "gossamer/error.hpp"
#include "output/output.hpp"
#include "output/stopwatch.hpp"
#include "output/table.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

using clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

int list_all() {
  table all({{.title = "name", .width = 20, .left = true},
             {.title = "source", .width = 36, .left = true},
             {.title = "shows", .left = true}});
  print(all.head());
  for (const experiments::experiment& each : experiments::all_experiments())
    print(wrapped(all.row({each.name, each.source, each.shows}), 60));
  return 0;
}

table row_table(std::size_t matrix_width, const experiments::experiment& e) {
  std::size_t series_width = 0;
  for (const experiments::series& each : e.all_series)
    series_width = std::max(series_width, each.label.size());
  return table({{.title = "matrix", .width = matrix_width, .left = true},
                {.title = "values", .width = 8, .left = true},
                {.title = "series", .width = series_width, .left = true},
                {.title = "format", .width = 17, .left = true},
                {.title = "median", .width = 8},
                {.title = "GFLOP/s"},
                {.title = "paper-GB/s"},
                {.title = "slots/nnz"},
                {.title = "error"},
                {.title = "speed-up", .left = true}});
}

std::vector<std::string> cells(const json& row) {
  const auto text = [](const json& number) {
    return number.is_number() ? number_text(number.get<double>()) : std::string("-");
  };
  const std::string mark = row.at("stand_in") == true ? " *" : "";
  std::vector<std::string> line{row.at("matrix").get<std::string>() + mark,
                                row.at("values").get<std::string>(), row.at("series").get<std::string>(),
                                row.at("format").get<std::string>()};
  if (row.at("status") == "forecast") {
    line.push_back(row.at("options").get<std::string>());
    return line;
  }
  if (row.at("status") == "partitioned") {
    const json& sets = row.at("partition");
    line.push_back(seconds_text(sets.at("seconds").at("median").get<double>()));
    line.push_back(fmt::format("relative differences {:.4f} % in all, mean density {:.1f} %",
                               100 * sets.at("relative_difference").get<double>(),
                               100 * sets.at("mean_density").get<double>()));
    return line;
  }
  if (row.at("status") != "ok") {
    line.push_back(
        fmt::format("{}: {}", row.at("status").get<std::string>(), row.at("reason").get<std::string>()));
    return line;
  }
  line.push_back(seconds_text(row.at("seconds").at("median").get<double>()));
  for (const char* name : {"gflops", "paper_bandwidth_gbs", "slots_per_nonzero", "error_ratio"})
    line.push_back(text(row.at(name)));
  if (const json& s = row.at("speed_up"); s.is_object())
    line.push_back(fmt::format("{:.3f} [{:.3f}, {:.3f}] {} over {}", s.at("ratio").get<double>(),
                               s.at("low").get<double>(), s.at("high").get<double>(),
                               s.at("of").get<std::string>(), s.at("over").get<std::string>()));
  return line;
}

/// True where the matrix was measured, or left out for what it is. One that memory does not hold, or that
/// cannot be read, is left out too, and the others go on.
bool measure_into(experiment_record& record, const experiment_member& member, const experiment_settings& s,
                  const table& lines) {
  try {
    const experiments::rows rows = measure_rows_of(member.matrix, s, record.copy_gbs());
    for (const json& row : rows) print(lines.row(cells(row)));
    flush_output();
    record.add(member.matrix, rows);
    return true;
  } catch (const std::bad_alloc&) {
    record.refuse(member.matrix, "out of memory");
    return false;
  } catch (const error& problem) {
    const errc code = problem.code();
    const bool unreadable =
        code == errc::parse_error || code == errc::io_error || code == errc::invalid_matrix;
    if (code != errc::out_of_memory && !(member.of_folder && (unreadable || code == errc::unsupported)))
      throw;
    record.refuse(member.matrix, problem.what());
    return code == errc::unsupported;
  }
}

void conclude(const experiments::experiment& e, const experiment_record& record, const std::string& svg) {
  record.write();
  print(fmt::format("\n{} ({}): {}\n", e.name, e.source, e.shows));
  print(e.report(e, record.rows()));
  for (const json& each : record.refused())
    print(fmt::format("left out: {}: {}\n", each.at("matrix").get<std::string>(),
                      each.at("reason").get<std::string>()));
  if (!svg.empty()) write_text_file(svg, e.draw(e, record.rows()));
}

int measure_all(const experiment_options& o) {
  const auto begin = clock::now();
  const experiment_settings s = checked(o);
  experiment_record record(s, identify_machine(s.everything()), o.json, o.resume);
  for (const bench_member& member : s.absent) record.refuse(member, member.absent);
  std::vector<const experiment_member*> runs;
  std::size_t widest = 0;
  for (const experiment_member& member : s.members) {
    if (record.has(member.matrix)) continue;
    runs.push_back(&member);
    // A stand-in's mark is behind its name.
    widest = std::max(widest, member.matrix.title().size() + 2);
  }
  if (runs.size() < s.members.size())
    note(fmt::format("{} of {} matrices are in the document already", s.members.size() - runs.size(),
                     s.members.size()));
  const table lines = row_table(widest, *s.what);
  print(lines.head());
  bool good = true;
  double longest = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double before = seconds_since(begin);
    if (s.time_limit > 0 && i > 0 && before + longest > s.time_limit) {
      note(fmt::format("time limit: {} of {} matrices are left, from {} on; --resume goes on",
                       runs.size() - i, runs.size(), runs[i]->matrix.title()));
      break;
    }
    good = measure_into(record, *runs[i], s, lines) && good;
    longest = std::max(longest, seconds_since(begin) - before);
  }
  conclude(*s.what, record, o.svg);
  return good && !record.any_failed() ? 0 : 1;
}

/// A document that scripts made of another program's run.
int draw_other(const experiments::experiment& e, const experiment_options& o) {
  if (o.from.size() != 1 || !o.json.empty())
    fail_usage("experiment: {} takes one --from and no --json", e.name);
  const std::string& file = o.from.front();
  check_files(o.from, {o.svg});
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_usage("{}: cannot open", file);
  const json document = parse_json(in);
  const auto is_run = [](const json& row) {
    return row.is_object() && row.contains("preconditioner") && row.contains("series") &&
           row["preconditioner"].is_string() && row["series"].is_string();
  };
  const bool ours = document.is_object() && document.value("experiment", json()) == e.name &&
                    document.value("rows", json()).is_array() &&
                    std::all_of(document["rows"].begin(), document["rows"].end(), is_run);
  if (!ours) fail_usage("{}: not a document of {}", file, e.name);
  print(fmt::format("{} ({}): {}\n", e.name, e.source, e.shows));
  print(e.report(e, document.at("rows")));
  if (!o.svg.empty()) write_text_file(o.svg, e.draw(e, document.at("rows")));
  return 0;
}

int draw_again(const experiment_options& o) {
  const experiments::experiment& e = experiment_named(o.name);
  if (!e.made_by.empty()) return draw_other(e, o);
  check_files(o.from, {o.json, o.svg});
  const experiment_record record(e, o.from, o.json);
  conclude(e, record, o.svg);
  return record.any_failed() ? 1 : 0;
}

int experiment(const experiment_options& o) {
  if (o.list) return list_all();
  return o.from.empty() ? measure_all(o) : draw_again(o);
}

}  // namespace

void add_experiment(command_line& line, action& chosen) {
  subcommand command =
      line.add_subcommand("experiment", "Measure a paper's table or figure again, and draw it");
  const auto o = std::make_shared<experiment_options>();
  o->add_to(command);
  command.callback([&chosen, o] { chosen = [o] { return experiment(*o); }; });
}

}  // namespace gossamer::cli
