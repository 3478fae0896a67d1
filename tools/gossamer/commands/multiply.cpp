// SPDX-License-Identifier: BSD-3-Clause
// gossamer multiply: y = alpha A x + beta y, once, or by the transpose of A.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "arguments/file_argument.hpp"
#include "arguments/hybrid_argument.hpp"
#include "arguments/matrix_argument.hpp"
#include "arguments/number_argument.hpp"
#include "arguments/option_texts.hpp"
#include "arguments/resource_argument.hpp"
#include "arguments/usage_error.hpp"
#include "arguments/value_argument.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "commands/commands.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/io.hpp"
#include "gossamer/timer.hpp"
#include "output/blind_rows.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"
#include "output/rounding_text.hpp"

namespace gossamer::cli {
namespace {

struct multiply_options {
  std::string matrix;
  std::string x = "ramp";
  double alpha = 1;
  double beta = 0;
  std::string y;
  std::string format;
  std::vector<std::string> options;
  std::string value = "f64";
  resource_argument where;
  std::optional<std::int64_t> memory_limit;
  hybrid_argument shared;
  bool transposed = false;
  bool check = false;
  std::string output;
};

template <value V>
V scalar(const char* name, double given) {
  const V v = static_cast<V>(given);
  if (std::isfinite(given) && !std::isfinite(v))
    fail_usage("{} {} is too large for {}", name, given, value_name<V>());
  return v;
}

template <value V>
std::vector<V> vector_from(const std::string& file, std::int64_t size, const char* what) {
  const host_buffer<V> read = read_vector<V>(file);
  if (read.size() != static_cast<std::size_t>(size))
    fail_usage("{}: a vector of {} elements, but the matrix has {} {}", file, read.size(), size, what);
  return std::vector<V>(read.span().begin(), read.span().end());
}

bool is_file_of_x(const std::string& given) {
  return given != "ramp" && given != "ones";
}

/// `what`: of the matrix, as many as x has elements.
template <value V>
std::vector<V> vector_x(const std::string& given, std::int64_t size, const char* what) {
  if (given == "ramp") return ramp<V>(size);
  if (given == "ones") return std::vector<V>(static_cast<std::size_t>(size), V{1});
  return vector_from<V>(given, size, what);
}

/// As write_vector does.
template <value V>
void print_vector(const std::vector<V>& y) {
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), "%%MatrixMarket matrix array real general\n{} 1\n", y.size());
  constexpr std::size_t piece = 1 << 16;
  for (const V element : y) {
    fmt::format_to(fmt::appender(text), "{}\n", element);
    if (text.size() < piece) continue;
    print({text.data(), text.size()});
    text.clear();
  }
  print({text.data(), text.size()});
}

template <value V>
bool report_check(const plan<V>& plan, const std::string& device, const bench_support::verification& v) {
  note(fmt::format("gossamer: {} on {}, {}: error ratio {:.3g}, {}",
                   format_and_options(plan.format(), plan.options()), device, value_name<V>(), v.error_ratio,
                   v.passed() ? "right" : fmt::format("wrong in row {}", v.row + 1)));
  if (const auto rounding = plan.rounding()) note(fmt::format("gossamer: {}", rounding_text(*rounding)));
  if (v.blind_rows > 0) note(fmt::format("gossamer: {}", blind_rows_text(v.blind_rows)));
  return v.passed();
}

/// `Where` is a resource or a hybrid.
template <value V, offset O, class Where>
int multiply_matrix(const csr_view<V, O>& a, const multiply_options& o, const Where& where,
                    progress_bar& bar) {
  const V alpha = scalar<V>("--alpha", o.alpha);
  const V beta = scalar<V>("--beta", o.beta);
  const std::vector<V> x =
      o.transposed ? vector_x<V>(o.x, a.rows, "rows") : vector_x<V>(o.x, a.cols, "columns");
  const std::int64_t size = o.transposed ? a.cols : a.rows;
  // A product that leaves a row out, or reads y where beta is 0, shows as NaN.
  std::vector<V> before(static_cast<std::size_t>(size), std::numeric_limits<V>::quiet_NaN());
  if (!o.y.empty()) before = vector_from<V>(o.y, size, o.transposed ? "columns" : "rows");
  std::vector<V> y = before;

  inspect_options wanted{.format = o.format, .options = parse_option_texts(o.options)};
  wanted.memory_limit = o.memory_limit;
  if (o.transposed) wanted.operations = operation_set::transposed;
  wanted.progress = bar.callback();
  const plan<V> made = [&] {
    if constexpr (std::is_same_v<Where, hybrid>)
      return inspect(a, o.shared.settled(where, a, wanted), wanted);
    else
      return inspect(a, where, wanted);
  }();
  if (o.transposed)
    made.multiply_transposed(alpha, x, beta, y);
  else
    made.multiply(alpha, x, beta, y);
  bar.clear();

  const std::string device = std::is_same_v<Where, hybrid> ? "hybrid" : name(made.where());
  const auto check = [&] {
    const host_buffer<V> stored = made.stored_values(a);
    csr_view<V, O> multiplied = a;
    multiplied.val = stored.span();
    const csr_matrix<V, O> turned = o.transposed ? transpose(multiplied) : csr_matrix<V, O>();
    if (o.transposed) multiplied = turned.view();
    return report_check(made, device, bench_support::verify<V, O>(multiplied, alpha, x, beta, before, y));
  };
  const bool right = !o.check || check();
  if (o.output.empty())
    print_vector(y);
  else
    write_output([&] { write_vector<V>(o.output, y); });
  return right ? 0 : 1;
}

void check_format(const multiply_options& o, const option_texts& options, const resource& where) {
  if (o.format != "auto")
    check_options(o.format.empty() ? std::string(default_format(where)) : o.format, options, where);
  else if (!options.empty())
    fail_usage("multiply: --option needs a format, named by --format");
}

template <value V, class Where>
int multiply_on(const multiply_options& o, const Where& where) {
  const auto loaded = load_matrix<V>(o.matrix);
  progress_bar bar(loaded.facts.name);
  return std::visit([&](const auto& a) { return multiply_matrix(a.view(), o, where, bar); }, loaded.matrix);
}

template <value V>
int multiply(const multiply_options& o) {
  if (o.beta != 0 && o.y.empty()) fail_usage("multiply: --beta {} needs --y FILE", o.beta);
  check_files({matrix_file(o.matrix), is_file_of_x(o.x) ? o.x : "", o.y}, {o.output});
  const option_texts options = parse_option_texts(o.options);
  if (o.shared.asked(o.where)) {
    const hybrid where = o.shared.present();
    for (const hybrid_part& each : where.parts) check_format(o, options, each.where);
    return multiply_on<V>(o, where);
  }
  const resource where = o.where.present();
  check_memory_limit("multiply", o.memory_limit, where);
  check_format(o, options, where);
  return multiply_on<V>(o, where);
}

}  // namespace

void add_multiply(command_line& line, action& chosen) {
  subcommand command = line.add_subcommand("multiply", "Compute y = alpha A x + beta y and print y");
  const auto o = std::make_shared<multiply_options>();
  command.add_option("MATRIX", o->matrix, matrix_help).required();
  reads_file(
      command.add_option("--x", o->x, "A vector file, ones, or ramp: x_j = 1 + (j mod 97)/97; - is stdin"))
      .capture_default_str();
  command.add_option("--alpha", o->alpha).check(number_of_double()).capture_default_str();
  command.add_option("--beta", o->beta, "Needs --y").check(number_of_double()).capture_default_str();
  reads_file(command.add_option("--y", o->y, "A vector file; - is stdin"));
  command.add_option("--format", o->format,
                     "auto, or a name; see gossamer formats [pattern_csr on a CPU, csr on a GPU]");
  command.add_option("--option", o->options, "An option of the format; may be repeated")
      .allow_extra_args(false)
      .type_name("NAME=VALUE");
  add_value_to(command, o->value);
  o->where.add_device_to(command);
  add_memory_limit_to(command, o->memory_limit);
  o->shared.add_to(command);
  command.add_flag("--transposed", o->transposed, "Multiply by the transpose: y = alpha A^T x + beta y");
  command.add_flag("--check", o->check, "Compare with the exact product; status 1 where it is wrong");
  writes_file(command.add_option("-o,--output", o->output, "File for y; - is stdout, as without it"));
  command.callback([&chosen, o] {
    chosen = [o] { return with_value_type(o->value, [&]<class V>() { return multiply<V>(*o); }); };
  });
}

}  // namespace gossamer::cli
