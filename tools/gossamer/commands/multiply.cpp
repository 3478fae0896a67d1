// SPDX-License-Identifier: BSD-3-Clause
// gossamer multiply: y = alpha A x + beta y, once, or by the transpose of A, for one vector or several.
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
  std::string format = "auto";
  std::vector<std::string> options;
  std::string value = "f64";
  resource_argument where;
  std::optional<std::int64_t> memory_limit;
  std::string reorder = "none";
  hybrid_argument shared;
  std::int64_t columns = 1;
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

/// The columns of a file, one after another. `what`: of the matrix, as many as a column has elements.
template <value V>
std::vector<V> columns_from(const char* name, const std::string& file, std::int64_t size,
                            std::int64_t columns, const char* what) {
  if (columns == 1) return vector_from<V>(file, size, what);
  const csr_matrix<V, std::int64_t> read = read_matrix_market<V>(file).matrix;
  if (read.rows != size || read.cols != columns)
    fail_usage("{} {}: {} x {}, but --columns {} and a matrix of {} {} need {} x {}", name, file, read.rows,
               read.cols, columns, size, what, size, columns);
  std::vector<V> all(static_cast<std::size_t>(size * columns));
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t k = read.row_ptr[static_cast<std::size_t>(i)];
         k < read.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      all[static_cast<std::size_t>(i + read.col[at] * size)] += read.val[at];
    }
  }
  return all;
}

bool is_file_of_x(const std::string& given) {
  return given != "ramp" && given != "ones";
}

/// `what`: of the matrix, as many as a column of x has elements.
template <value V>
std::vector<V> columns_of_x(const multiply_options& o, std::int64_t size, const char* what) {
  if (o.x == "ramp") return ramp<V>(size * o.columns);
  if (o.x == "ones") return std::vector<V>(static_cast<std::size_t>(size * o.columns), V{1});
  return columns_from<V>("--x", o.x, size, o.columns, what);
}

/// As write_vector does.
template <value V>
void print_columns(const std::vector<V>& y, std::int64_t columns) {
  fmt::memory_buffer text;
  fmt::format_to(fmt::appender(text), "%%MatrixMarket matrix array real general\n{} {}\n",
                 static_cast<std::int64_t>(y.size()) / columns, columns);
  constexpr std::size_t piece = 1 << 16;
  for (const V element : y) {
    fmt::format_to(fmt::appender(text), "{}\n", element);
    if (text.size() < piece) continue;
    print({text.data(), text.size()});
    text.clear();
  }
  print({text.data(), text.size()});
}

/// The least exact column of a product.
struct worst_column {
  bench_support::verification found;
  std::int64_t column = 0;
};

template <value V, offset O>
worst_column verify_columns(const csr_view<V, O>& a, const multiply_options& o, std::span<const V> x,
                            std::span<const V> before, std::span<const V> y) {
  const auto part = [](std::span<const V> all, std::int64_t size, std::int64_t j) {
    return all.subspan(static_cast<std::size_t>(j * size), static_cast<std::size_t>(size));
  };
  worst_column worst;
  for (std::int64_t j = 0; j < o.columns; ++j) {
    const auto found =
        bench_support::verify<V, O>(a, static_cast<V>(o.alpha), part(x, a.cols, j), static_cast<V>(o.beta),
                                    part(before, a.rows, j), part(y, a.rows, j));
    if (j == 0 || found.error_ratio > worst.found.error_ratio) worst = {.found = found, .column = j};
  }
  return worst;
}

template <value V>
bool report_check(const plan<V>& plan, const std::string& device, const worst_column& worst,
                  std::int64_t columns) {
  const bench_support::verification& v = worst.found;
  std::string wrong = fmt::format("wrong in row {}", v.row + 1);
  if (columns > 1) wrong += fmt::format(" of column {}", worst.column + 1);
  remark(fmt::format("gossamer: {} on {}, {}: error ratio {:.3g}, {}",
                     format_and_options(plan.format(), plan.options()), device, value_name<V>(),
                     v.error_ratio, v.passed() ? "right" : wrong));
  if (const auto rounding = plan.rounding()) remark(fmt::format("gossamer: {}", rounding_text(*rounding)));
  if (v.blind_rows > 0) remark(fmt::format("gossamer: {}", blind_rows_text(v.blind_rows)));
  return v.passed();
}

/// `Where` is a resource or a hybrid.
template <value V, offset O, class Where>
int multiply_matrix(const csr_view<V, O>& a, const multiply_options& o, const Where& where,
                    progress_bar& bar) {
  const V alpha = scalar<V>("--alpha", o.alpha);
  const V beta = scalar<V>("--beta", o.beta);
  const std::int64_t x_size = o.transposed ? a.rows : a.cols;
  const std::int64_t y_size = o.transposed ? a.cols : a.rows;
  const std::vector<V> x = columns_of_x<V>(o, x_size, o.transposed ? "rows" : "columns");
  // A product that leaves a row out, or reads y where beta is 0, shows as NaN.
  std::vector<V> before(static_cast<std::size_t>(y_size * o.columns), std::numeric_limits<V>::quiet_NaN());
  if (!o.y.empty())
    before = columns_from<V>("--y", o.y, y_size, o.columns, o.transposed ? "columns" : "rows");
  std::vector<V> y = before;

  inspect_options wanted{.format = o.format, .options = parse_option_texts(o.options)};
  wanted.memory_limit = o.memory_limit;
  wanted.reorder = parse_reordering(o.reorder);
  if (o.transposed) wanted.operations = operation_set::transposed;
  wanted.progress = bar.callback();
  const plan<V> made = [&] {
    if constexpr (std::is_same_v<Where, hybrid>)
      return inspect(a, o.shared.settled(where, a, wanted), wanted);
    else
      return inspect(a, where, wanted);
  }();
  const dense_view<const V> all_x{.rows = x_size, .cols = o.columns, .leading = x_size, .data = x};
  const dense_view<V> all_y{.rows = y_size, .cols = o.columns, .leading = y_size, .data = y};
  if (o.transposed)
    made.multiply_transposed(alpha, all_x, beta, all_y);
  else
    made.multiply(alpha, all_x, beta, all_y);
  bar.clear();

  const std::string device = std::is_same_v<Where, hybrid> ? "hybrid" : name(made.where());
  const auto check = [&] {
    const host_buffer<V> stored = made.stored_values(a);
    csr_view<V, O> multiplied = a;
    multiplied.val = stored.span();
    const csr_matrix<V, O> turned = o.transposed ? transpose(multiplied) : csr_matrix<V, O>();
    if (o.transposed) multiplied = turned.view();
    return report_check(made, device, verify_columns<V, O>(multiplied, o, x, before, y), o.columns);
  };
  const bool right = !o.check || check();
  if (o.output.empty())
    print_columns(y, o.columns);
  else
    write_output([&] { write_vector<V>(o.output, y, o.columns); });
  return right ? 0 : 1;
}

void check_format(const multiply_options& o, const option_texts& options, const resource& where) {
  if (o.format != "auto" && o.format != "tuned")
    check_options(o.format, options, where);
  else if (!options.empty())
    fail_usage("multiply: --option needs a format; name it with --format");
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
      command.add_option("--x", o->x,
                         "x: a vector file (- is stdin), ones, or ramp, which is x_j = 1 + (j mod 97)/97"))
      .capture_default_str();
  command
      .add_option("--columns", o->columns,
                  "Number of columns of x and y. With --x ramp, j counts on from one column to the next")
      .check(range(1, max_dimension))
      .capture_default_str();
  command.add_option("--alpha", o->alpha, "The factor alpha of A x")
      .check(number_of_double())
      .capture_default_str();
  command.add_option("--beta", o->beta, "The factor beta of y; other values than 0 need --y")
      .check(number_of_double())
      .capture_default_str();
  reads_file(command.add_option("--y", o->y, "A file with the old y, for beta; - is stdin"));
  command
      .add_option(
          "--format", o->format,
          "auto: the library chooses; tuned: it measures first; or a name that gossamer formats lists")
      .capture_default_str();
  command.add_option("--option", o->options, "Option of the format, see gossamer formats; may be repeated")
      .allow_extra_args(false)
      .type_name("NAME=VALUE");
  add_value_to(command, o->value);
  o->where.add_device_to(command, true);
  add_memory_limit_to(command, o->memory_limit);
  o->shared.add_to(command);
  add_reorder_to(command, o->reorder);
  command.add_flag("--transposed", o->transposed, "Multiply by the transpose of A: y = alpha A^T x + beta y");
  command.add_flag("--check", o->check,
                   "Compare y with a reference in long double. The error ratio (error / bound) of a right y "
                   "is at most 1; the exit status is 1 if y is wrong");
  writes_file(command.add_option("-o,--output", o->output, "Write y to a file (default: stdout)"));
  command.callback([&chosen, o] {
    chosen = [o] { return with_value_type(o->value, [&]<class V>() { return multiply<V>(*o); }); };
  });
}

}  // namespace gossamer::cli
