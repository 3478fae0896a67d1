// SPDX-License-Identifier: BSD-3-Clause
// gossamer bench: how fast each format multiplies each matrix, with hot caches.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench_measure.hpp"
#include "bench_record.hpp"
#include "commands.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/measure.hpp"
#include "gossamer/statistics.hpp"
#include "matrix_argument.hpp"
#include "option_texts.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "resource_argument.hpp"
#include "usage_error.hpp"
#include "value_argument.hpp"

namespace gossamer::cli {
namespace {

struct bench_options {
  std::vector<std::string> matrices;
  std::vector<std::string> formats = {"all"};
  std::vector<std::string> options;
  bool all_options = false;
  std::vector<std::string> values = {"f64"};
  resource_argument where;
  double seconds = 0.5;
  std::string json;
};

/// The formats to run, with what the command line says of them checked before anything is measured.
std::vector<std::string> formats_of(const bench_options& o) {
  std::vector<std::string> names;
  for (const std::string& given : o.formats) {
    if (given == "all") {
      for (const format_info& format : list_formats()) names.emplace_back(format.name);
    } else {
      names.emplace_back(find_format(given).name);
    }
  }
  const bool one = names.size() == 1;
  if (!o.options.empty() && !one) fail_usage("bench: --option needs one format, named by --format");
  if (o.all_options && !one) fail_usage("bench: --all-options needs one format, named by --format");
  if (o.all_options && !o.options.empty()) fail_usage("bench: --all-options and --option exclude each other");
  if (!o.options.empty()) check_names(names.front(), parse_option_texts(o.options));
  return names;
}

bench_machine describe_machine(const bench_options& o, const resource& where) {
  progress_bar bar("machine");
  bar.show("bandwidth", 0);
  bench_machine m{.cpu = cpu_model(), .threads = threads_of(o.where)};
  m.stream_gbs = stream_triad_bandwidth(o.where.threads);
  if (const auto* gpu = std::get_if<cuda>(&where)) m.gpu = cuda_properties(gpu->device).name;
  m.copy_gbs = copy_bandwidth(where);
  return m;
}

/// One matrix: csr with its defaults first, because the others are compared with it.
template <value V, offset O>
void bench_matrix(const bench_subject<V, O>& subject, const bench_options& o,
                  const std::vector<std::string>& formats, bench_record& record) {
  progress_bar bar(fmt::format("{} {}", subject.facts.name, value_name<V>()));
  std::optional<bench_result> csr;
  const auto plain_csr = [&]() -> const bench_result& {
    if (!csr) csr = measure(subject, "csr", {}, bar);
    return *csr;
  };
  const option_texts given = parse_option_texts(o.options);
  for (const std::string& format : formats) {
    std::vector<option_texts> settings{given};
    if (o.all_options) settings = candidates(format, subject.statistics, subject.where);
    for (const option_texts& options : settings) {
      const bool is_plain = format == "csr" && options.empty();
      bench_result result = is_plain ? plain_csr() : measure(subject, format, options, bar);
      if (!is_plain && result.status == bench_status::ok)
        result.break_even_multiplies = break_even(result, plain_csr());
      bar.clear();
      record.add(result);
    }
  }
}

template <value V>
void bench_argument(const std::string& argument, const bench_options& o, const resource& where,
                    const std::vector<std::string>& formats, double copy_gbs, bench_record& record) {
  const auto loaded = load_matrix<V>(argument, o.where.threads);
  std::visit(
      [&](const auto& matrix) {
        const auto a = matrix.view();
        note(fmt::format("{}: {} x {}, {} nonzeros, {}", loaded.facts.name, a.rows, a.cols, a.nnz(),
                         value_name<V>()));
        const bench_subject<V, typename decltype(a)::offset_type> subject{.facts = loaded.facts,
                                                                          .a = a,
                                                                          .statistics = measure_rows(a),
                                                                          .where = where,
                                                                          .copy_gbs = copy_gbs,
                                                                          .seconds = o.seconds};
        bench_matrix(subject, o, formats, record);
      },
      loaded.matrix);
}

int bench(const bench_options& o) {
  const std::vector<std::string> formats = formats_of(o);
  std::size_t widest = 0;
  for (const std::string& matrix : o.matrices) {
    check_matrix(matrix);
    widest = std::max(widest, matrix_name(matrix).size());
  }
  check_output(o.json);
  const resource where = o.where.present();
  const bench_machine machine = describe_machine(o, where);
  note(fmt::format("{}, {} threads, stream triad {:.1f} GB/s; {}: copy {:.1f} GB/s", machine.cpu,
                   machine.threads, machine.stream_gbs, machine.gpu.value_or("cpu"), machine.copy_gbs));
  bench_record record(machine, o.json, widest);
  for (const std::string& matrix : o.matrices) {
    for (const std::string& value : o.values) {
      with_value_type(value, [&]<class V>() {
        bench_argument<V>(matrix, o, where, formats, machine.copy_gbs, record);
        return 0;
      });
    }
  }
  record.finish();
  return record.any_failed() ? 1 : 0;
}

}  // namespace

void add_bench(CLI::App& app, action& chosen) {
  CLI::App* command = app.add_subcommand("bench", "Time products of matrices in each format");
  const auto o = std::make_shared<bench_options>();
  command->add_option("MATRIX", o->matrices, matrix_help)->required();
  command->add_option("--format", o->formats, "all, or names joined by commas; see gossamer formats")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--option", o->options, "An option of the one format named; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command->add_flag("--all-options", o->all_options, "Every setting of the one format that is worth timing");
  command->add_option("--value", o->values, "f32, f64 or both, joined by a comma")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
  o->where.add_device_to(*command);
  o->where.add_threads_to(*command);
  command->add_option("--seconds", o->seconds, "Time for the samples of one product")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_option("--json", o->json, "File for all results as one document")->type_name("FILE");
  command->callback([&chosen, o] { chosen = [o] { return bench(*o); }; });
}

}  // namespace gossamer::cli
