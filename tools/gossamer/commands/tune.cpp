// SPDX-License-Identifier: BSD-3-Clause
// gossamer tune: which format multiplies a matrix soonest, by the model and by trying.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "arguments/file_argument.hpp"
#include "arguments/matrix_argument.hpp"
#include "arguments/number_argument.hpp"
#include "arguments/option_texts.hpp"
#include "arguments/resource_argument.hpp"
#include "arguments/value_argument.hpp"
#include "commands/commands.hpp"
#include "gossamer/tune.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"
#include "output/table.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

struct tune_arguments {
  std::string matrix;
  double calls = tune_options{}.calls;
  double budget = tune_options{}.budget_seconds;
  bool transposed = false;
  std::string value = "f64";
  resource_argument where;
  std::string json_file;
};

/// What is shown of one search.
struct tune_report {
  std::string matrix;
  std::string value;
  operation product = operation::forward;
  resource where;
  row_statistics rows;
  double calls = 0;
  double budget_seconds = 0;
  format_setting model;  ///< the first of the ranking
  tuning_result result;
};

json number_or_null(double number) {
  return std::isnan(number) ? json(nullptr) : json(number);
}

json to_json(const measurement& t, double calls) {
  const candidate& p = t.expected;
  const bool refused = !p.refusal.empty();
  return {{"format", p.setting.format},
          {"options", joined(p.setting.options)},
          {"default", p.by_default},
          {"status", t.measured() ? "measured"
                     : refused    ? "refused"
                                  : "not measured"},
          {"reason", refused ? p.refusal : t.note},
          {"bytes", refused ? json(nullptr) : json(p.bytes)},
          {"predicted_seconds", refused ? json(nullptr) : json(p.seconds)},
          {"multiply_seconds", number_or_null(t.multiply_seconds)},
          {"inspect_seconds", number_or_null(t.inspect_seconds)},
          {"total_seconds", number_or_null(t.total_seconds(calls))}};
}

json to_json(const format_setting& s) {
  return {{"format", s.format}, {"options", joined(s.options)}};
}

json to_json(const tune_report& r) {
  json measurements = json::array();
  for (const measurement& t : r.result.measurements) measurements.push_back(to_json(t, r.calls));
  return {{"matrix", r.matrix},
          {"rows", r.rows.rows},
          {"cols", r.rows.cols},
          {"nnz", r.rows.nnz},
          {"value", r.value},
          {"op", name(r.product)},
          {"device", name(r.where)},
          {"calls", r.calls},
          {"budget_seconds", r.budget_seconds},
          {"spent_seconds", r.result.spent_seconds},
          {"complete", r.result.complete},
          {"from_cache", r.result.from_cache},
          {"model", to_json(r.model)},
          {"chosen", to_json(r.result.best())},
          {"measurements", measurements}};
}

/// Those that were measured by their totals, then the others as they stand.
std::vector<const measurement*> by_total(const tune_report& r) {
  std::vector<const measurement*> order;
  for (const measurement& t : r.result.measurements) order.push_back(&t);
  std::stable_sort(order.begin(), order.end(), [&](const measurement* a, const measurement* b) {
    if (a->measured() != b->measured()) return a->measured();
    return a->measured() && a->total_seconds(r.calls) < b->total_seconds(r.calls);
  });
  return order;
}

/// The last column: the options, and what stands against a measurement.
std::string options_and_note(const measurement& t, bool chosen) {
  std::string text = joined(t.expected.setting.options);
  const std::string note = t.measured() ? (chosen ? "chosen" : "") : t.note;
  if (!text.empty() && !note.empty()) text += "; ";
  return text + note;
}

void print_text(const tune_report& r) {
  print(wrapped(fmt::format("{}: {} x {}, {} nonzeros, {} on {}; {} products{}\n", r.matrix, r.rows.rows,
                            r.rows.cols, r.rows.nnz, r.value, name(r.where), number_text(r.calls),
                            r.product == operation::transposed ? " by the transpose" : ""),
                4));
  const table all({{.title = "format", .width = 15, .left = true},
                   {.title = "predicted", .width = 9},
                   {.title = "measured", .width = 8},
                   {.title = "inspect", .width = 8},
                   {.title = "total", .width = 8},
                   {.title = "options", .left = true}});
  print(all.head());
  for (const measurement* t : by_total(r)) {
    const candidate& p = t->expected;
    if (!p.refusal.empty()) {
      print(wrapped(fmt::format("{:<15}  {}\n", p.setting.format, t->note), 19));
      continue;
    }
    print(wrapped(all.row({p.setting.format, seconds_text(p.seconds), seconds_text(t->multiply_seconds),
                           seconds_text(t->inspect_seconds), seconds_text(t->total_seconds(r.calls)),
                           options_and_note(*t, t == &r.result.measurements[r.result.chosen])}),
                  58));
  }
  print("predicted, measured: time of one product. total: inspect, and all products.\n");
  print(wrapped(fmt::format("model   {} (fastest by prediction)\n",
                            format_and_options(r.model.format, r.model.options)),
                8));
  print(wrapped(
      fmt::format("chosen  {}{}\n", format_and_options(r.result.best().format, r.result.best().options),
                  r.result.from_cache ? ", measured before" : ""),
      8));
}

/// The most promising of all default settings: the choice of the model.
format_setting model_choice(const tuning_result& result) {
  const measurement* best = nullptr;
  for (const measurement& t : result.measurements) {
    if (!t.expected.by_default || !t.expected.refusal.empty()) continue;
    if (best == nullptr || t.expected.seconds < best->expected.seconds) best = &t;
  }
  return best == nullptr ? result.best() : best->expected.setting;
}

template <value V>
int tune_matrix(const tune_arguments& o) {
  check_files({matrix_file(o.matrix)}, {o.json_file});
  const resource where = o.where.present();
  const auto loaded = load_matrix<V>(o.matrix);
  progress_bar bar(loaded.facts.name);
  tune_report report{.matrix = loaded.facts.name,
                     .value = o.value,
                     .product = o.transposed ? operation::transposed : operation::forward,
                     .where = where,
                     .calls = o.calls,
                     .budget_seconds = o.budget};
  std::visit(
      [&](const auto& a) {
        report.rows = measure_rows(a.view());
        tune_options options{.calls = o.calls, .budget_seconds = o.budget};
        options.product = report.product;
        options.progress = bar.callback();
        report.result = tune(a.view(), where, options);
      },
      loaded.matrix);
  bar.clear();
  report.model = model_choice(report.result);
  print_text(report);
  if (!o.json_file.empty()) write_text_file(o.json_file, to_line(to_json(report)));
  return 0;
}

}  // namespace

void add_tune(command_line& line, action& chosen) {
  subcommand command =
      line.add_subcommand("tune", "Find the fastest format for a matrix by measuring candidates");
  const auto o = std::make_shared<tune_arguments>();
  command.add_option("MATRIX", o->matrix, matrix_help).required();
  command.add_option("--calls", o->calls, "Number of products that the plan will be used for")
      .check(number_between(0, 1e15))
      .capture_default_str()
      .type_name("N");
  command
      .add_option("--budget", o->budget,
                  "Time for the search; csr is always measured, even if that takes longer")
      .check(number_between(0, 1e6))
      .capture_default_str()
      .type_name("SECONDS");
  command.add_flag("--transposed", o->transposed,
                   "Find the best format for products with the transpose, A^T x");
  add_value_to(command, o->value);
  o->where.add_device_to(command);
  writes_file(
      command.add_option("--json", o->json_file, "Write the result as one JSON document; - is stdout"));
  command.callback([&chosen, o] {
    chosen = [o] { return with_value_type(o->value, [&]<class V>() { return tune_matrix<V>(*o); }); };
  });
}

}  // namespace gossamer::cli
