// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "bench/summary.hpp"
#include "gossamer/io.hpp"
#include "output/output.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

constexpr std::size_t least_name = 14;
constexpr std::size_t most_name = 29;  // so that the widest row fits 100 columns
constexpr std::string_view automatic = "format=";

/// The part of a hybrid plan that has the whole matrix; null if several parts have rows.
const plan_part* only_part(const bench_result& r) {
  const auto is_used = [](double power) { return power > 0; };
  if (r.powers.size() != r.parts.size() || std::count_if(r.powers.begin(), r.powers.end(), is_used) != 1)
    return nullptr;
  return &r.parts[static_cast<std::size_t>(std::find_if(r.powers.begin(), r.powers.end(), is_used) -
                                           r.powers.begin())];
}

/// The format that `auto` chose; empty for other formats.
std::string chosen_format(const bench_result& r) {
  if (r.format != choice_of_format || r.options.compare(0, automatic.size(), automatic) != 0) return {};
  return r.options.substr(automatic.size(), r.options.find(',') - automatic.size());
}

std::string row_name(const bench_result& r) {
  if (const plan_part* part = only_part(r)) {
    const auto* cores = std::get_if<cpu>(&part->where);
    return cores != nullptr && cores->threads > 0 ? fmt::format("{}, cpu:{} alone", r.format, cores->threads)
                                                  : fmt::format("{}, {} alone", r.format, name(part->where));
  }
  if (!r.parts.empty() && r.format != "hybrid") return fmt::format("{}, {} parts", r.format, r.parts.size());
  const std::string chosen = chosen_format(r);
  return chosen.empty() ? r.format : fmt::format("{} ({})", r.format, chosen);
}

/// Two decimals below 10, then three digits.
std::string ratio_text(double ratio) {
  if (ratio < 0.005) return "<.01";
  return ratio < 9.995 ? fmt::format("{:.2f}", ratio) : number_text(ratio);
}

std::string interval_text(const advantage& a) {
  return fmt::format("{} [{}, {}]", ratio_text(a.over.ratio), ratio_text(a.over.low),
                     ratio_text(a.over.high));
}

table short_table(std::size_t name_width, bool compared) {
  std::vector<column> columns{{.title = "  format or peer", .width = name_width + 2, .left = true},
                              {.title = "time", .width = 8},
                              {.title = "GFLOP/s"},
                              {.title = "B/nonzero"},
                              {.title = "inspect", .width = 8}};
  if (compared) {
    columns.push_back({.title = "speed-up [95 %]", .width = 17, .left = true});
    columns.push_back({.title = "outcome", .left = true});
  }
  return table(columns);
}

std::size_t name_width(const std::vector<bench_result>& results) {
  std::size_t width = least_name;
  for (const bench_result& r : results) {
    if (const std::size_t size = row_name(r).size(); size <= most_name) width = std::max(width, size);
  }
  return width;
}

std::string best_peer_of(const std::vector<const bench_result*>& results) {
  for (const bench_result* r : results) {
    if (r->status == bench_status::ok && r->vs_best_peer) return r->vs_best_peer->peer;
  }
  return {};
}

/// By time; then failures, then refusals.
bool is_before(const bench_result* a, const bench_result* b) {
  const auto rank = [](const bench_result* r) {
    return r->status == bench_status::ok ? 0 : r->status == bench_status::failed ? 1 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  return rank(a) == 0 && a->seconds.median < b->seconds.median;
}

using group = std::vector<const bench_result*>;

/// Results of one operation, number of columns and cache state, sorted.
std::vector<group> groups_of(const std::vector<bench_result>& results) {
  std::vector<group> groups;
  for (const bench_result& r : results) {
    const auto same = [&](const group& g) {
      return g.front()->op == r.op && g.front()->columns == r.columns && g.front()->cache == r.cache;
    };
    const auto found = std::find_if(groups.begin(), groups.end(), same);
    (found == groups.end() ? groups.emplace_back() : *found).push_back(&r);
  }
  for (group& each : groups) std::stable_sort(each.begin(), each.end(), is_before);
  return groups;
}

std::string shell_word(const std::string& argument) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@,+-";
  if (argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char c : argument) {
    if (c == '\'')
      text += "'\\''";
    else
      text += c;
  }
  return text + "'";
}

/// What gives the matrix in a command that has no --matrices.
std::string argument_of(const matrix_member& from) {
  const bool is_named_file = from.argument.compare(0, 5, "file(") == 0 && from.values == "file";
  return is_named_file && !from.path.empty() ? from.path : from.argument;
}

bool is_on_gpu(const bench_result& r) {
  return r.device != "cpu";
}

/// The call of `gossamer multiply` that computes the product of `r`. `threads`: of --threads, or 0.
std::string multiply_command(const bench_result& r, std::string matrix, const std::string& format,
                             const std::vector<std::string>& options, int threads) {
  constexpr std::size_t long_argument = 50;
  matrix = shell_word(matrix);
  if (matrix.size() > long_argument) matrix = "MATRIX";
  std::string text = fmt::format("gossamer multiply {} --format {}", matrix, format);
  for (const std::string& option : options) text += fmt::format(" --option {}", shell_word(option));
  if (r.value != "f64") text += fmt::format(" --value {}", r.value);
  if (r.op == operation::transposed) text += " --transposed";
  if (r.columns > 1) text += fmt::format(" --columns {}", r.columns);
  if (is_on_gpu(r))
    text += fmt::format(" --device {}", r.device);
  else if (threads > 0)
    text += fmt::format(" --threads {}", threads);
  return text;
}

std::string cpp_call(const bench_result& r, const std::string& format, int threads) {
  std::string where = "gossamer::cpu{}";
  if (is_on_gpu(r))
    where = fmt::format("gossamer::cuda{{{}}}", r.device.substr(r.device.find(':') + 1));
  else if (threads > 0)
    where = fmt::format("gossamer::cpu{{.threads = {}}}", threads);
  return fmt::format(
      "gossamer::inspect(a, {}, {{.format = \"{}\"{}}})", where, format,
      r.op == operation::transposed ? ", .operations = gossamer::operation_set::transposed" : "");
}

std::string python_call(const bench_result& r, const std::string& format, int threads) {
  std::string where;
  if (is_on_gpu(r))
    where = fmt::format(", device=\"{}\"", r.device);
  else if (threads > 0)
    where = fmt::format(", threads={}", threads);
  return fmt::format("gossamer.matrix(A, format=\"{}\"{}{})", format, where,
                     r.op == operation::transposed ? ", operations=\"transposed\"" : "");
}

/// One row of a short table, with lines that follow it.
std::string row_text(const table& lines, const bench_result& r, bool compared, std::size_t width) {
  std::string name = "  " + row_name(r);
  std::string text;
  if (name.size() > width + 2) {
    text = name + "\n";
    name.clear();
  }
  if (r.status == bench_status::unsupported)
    return text + shortened(fmt::format("{:<{}}  refused: {}", name, width + 2, r.reason)) + "\n";
  if (r.status == bench_status::failed)
    return text + wrapped(fmt::format("{:<{}}  FAILED: {}\n", name, width + 2, r.reason), width + 4);
  const auto bytes = r.bytes_per_nonzero();
  std::vector<std::string> cells{name, seconds_text(r.seconds.median), number_text(r.gflops()),
                                 bytes ? fmt::format("{:.2f}", *bytes) : std::string("-"),
                                 seconds_text(r.inspect_seconds)};
  if (compared && r.vs_best_peer) {
    cells.push_back(interval_text(*r.vs_best_peer));
    cells.emplace_back(r.vs_best_peer->outcome());
  }
  text += lines.row(cells);
  for (const advantage& a : r.vs_alone)
    text +=
        wrapped(fmt::format("      speed-up over {} alone: {}, {}\n", a.peer, interval_text(a), a.outcome()));
  if (!r.peer && !r.by_default && r.powers.empty() && !r.options.empty())
    text += wrapped(fmt::format("      {}\n", r.options), 6);
  return text;
}

void print_legend(bool compared) {
  std::string text =
      "\ntime: median of one product. GFLOP/s: 2 operations for each nonzero and column, divided by time. "
      "B/nonzero: bytes of the stored matrix for each nonzero. inspect: time to prepare the matrix, once for "
      "all products.\n";
  if (compared)
    text += fmt::format(
        "speed-up: time of the best peer / time of the format, with its 95 % confidence interval. faster: "
        "the whole interval is above {}; slower: below {}; same: between them; unclear: otherwise.\n",
        won_above, lost_below);
  text +=
      "--verbose adds options, predicted times, errors and full reasons. --json FILE keeps all figures.\n";
  print(wrapped(text, 0));
}

}  // namespace

bench_report::bench_report(const bench_settings& settings, std::string file)
    : verbose_(settings.verbose),
      threads_(settings.threads),
      file_(std::move(file)),
      several_(settings.caches.size() * settings.operations.size() * settings.columns.size() > 1),
      wide_(bench_table(0)) {
  for (const bench_format& each : settings.formats) {
    if (each.asked == "all") continue;
    for (const auto& [name, value] : each.options) options_.push_back(fmt::format("{}={}", name, value));
  }
  for (const bench_member& each : settings.members) matrices_.push_back(argument_of(each.from));
}

void bench_report::begin(std::size_t matrix_width) {
  if (!verbose_) return;
  wide_ = bench_table(matrix_width);
  print(wide_.head());
  flush_output();
}

void bench_report::add(const std::vector<bench_result>& results) {
  if (results.empty()) return;
  note_fastest(results);
  if (verbose_) {
    for (const bench_result& each : results) print(wide_.row(cells(each)));
  } else {
    print_matrix(results);
  }
  flush_output();
}

void bench_report::print_matrix(const std::vector<bench_result>& results) {
  const bench_result& first = results.front();
  const bool compared =
      std::any_of(results.begin(), results.end(), [](const bench_result& r) { return bool{r.vs_best_peer}; });
  const std::size_t width = name_width(results);
  const table lines = short_table(width, compared);
  std::string heading = fmt::format("{}: {} x {}, {} nonzeros, {}, {}", first.matrix.title(), first.rows,
                                    first.cols, first.nnz, first.value, first.device);
  if (!several_) heading += ", " + situation_text(name(first.cache), first.op, first.columns);
  print(fmt::format("{}{}\n{}", shown_ ? "\n" : "", wrapped(heading, 4), lines.head()));
  for (const group& each : groups_of(results)) {
    if (several_)
      print(fmt::format("  {}:\n", situation_text(name(each.front()->cache), each.front()->op,
                                                  each.front()->columns, true)));
    const std::string best = best_peer_of(each);
    for (const bench_result* r : each) {
      std::string text = row_text(lines, *r, compared, width);
      if (r->peer && r->format == best) text.insert(text.size() - 1, "  best peer");
      print(text);
    }
  }
  compared_ = compared_ || compared;
  shown_ = true;
}

void bench_report::note_fastest(const std::vector<bench_result>& results) {
  if (matrices_.size() != 1) return;
  for (const group& each : groups_of(results)) {
    const auto ours = std::find_if(each.begin(), each.end(), [](const bench_result* r) {
      return !r->peer && r->status == bench_status::ok;
    });
    if (ours != each.end()) fastest_.push_back(**ours);
  }
}

void bench_report::finish(const nlohmann::ordered_json& rows) {
  if (verbose_) {
    print(summary(rows));
  } else {
    print(short_summary(rows));
    if (shown_) print_legend(compared_);
  }
  print_next_step();
}

void bench_report::print_next_step() const {
  const bool usable = !fastest_.empty() && fastest_.front().powers.empty();
  if (!usable) {
    if (file_.empty() || is_stream(file_))
      print(
          "\nNext: keep results with --json a.json; compare two runs: python3 bench/compare.py a.json "
          "b.json\n");
    else
      print(wrapped(fmt::format("\nNext: compare with another run: python3 bench/compare.py {} OTHER.json\n",
                                file_.size() > 40 ? "FILE" : shell_word(file_)),
                    6));
    return;
  }
  const bench_result& best = fastest_.front();
  const std::string chosen = chosen_format(best);
  const std::string format = chosen.empty() ? best.format : chosen;
  std::string text = "\n";
  const auto format_of = [](const bench_result& r) {
    const std::string found = chosen_format(r);
    return found.empty() ? r.format : found;
  };
  const bool differ = std::any_of(fastest_.begin(), fastest_.end(),
                                  [&](const bench_result& r) { return format_of(r) != format; });
  if (differ) {
    text += fmt::format("The fastest format is not the same in all tables. The next step uses {}: {}, {}.\n",
                        format, best.value, situation_text(name(best.cache), best.op, best.columns));
  } else if (best.vs_best_peer && best.vs_best_peer->lost()) {
    text +=
        fmt::format("No format is as fast as {} here; {} comes closest.\n", best.vs_best_peer->peer, format);
  }
  std::vector<std::string> options = options_;
  if (best.asked == "all" && !best.by_default) {
    for (std::size_t begin = 0; begin < best.options.size();) {
      const std::size_t end = std::min(best.options.find(',', begin), best.options.size());
      options.push_back(best.options.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  print(wrapped(text, 2));
  print(wrapped(
      fmt::format("Next: {}\n", multiply_command(best, matrices_.front(), format, options, threads_)), 6));
  if (options.empty())
    print(wrapped(fmt::format("      C++: {}\n      Python: {}\n", cpp_call(best, format, threads_),
                              python_call(best, format, threads_)),
                  8));
}

}  // namespace gossamer::cli
