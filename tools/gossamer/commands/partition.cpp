// SPDX-License-Identifier: BSD-3-Clause
// gossamer partition: a matrix's rows in sets, one for each processor, or its blocks along the diagonal and
// the rest.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arguments/file_argument.hpp"
#include "arguments/matrix_argument.hpp"
#include "arguments/powers_argument.hpp"
#include "arguments/usage_error.hpp"
#include "commands/commands.hpp"
#include "gossamer/partition.hpp"
#include "gossamer/statistics.hpp"
#include "output/output.hpp"
#include "output/table.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr const char* diagonal = "diagonal";

struct partition_arguments {
  std::vector<std::string> matrices;
  std::string folder;
  std::string algorithm = "pmf";
  std::string powers_text;
  std::vector<double> powers;
  std::optional<int> block;
  bool carry = false;
  bool as_json = false;
  bool with_rows = false;
};

/// One set as it is shown. `density` is entries a stored slot, which row_set's is where rows are padded.
struct shown_set {
  row_set figures;
  double density = 1;
  std::optional<double> power, target_nnz, difference;
  json row_ids;
};

struct partition_findings {
  std::string matrix;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::vector<shown_set> sets;
  double mean_density = 1;
  std::int64_t padded_zeros = 0;
  std::optional<double> difference;
};

json row_ids(const row_partition& p, std::size_t k) {
  json ids = json::array();
  for (const std::int32_t i : p.rows_of(k)) ids.push_back(std::int64_t{i} + 1);
  return ids;
}

template <value V, offset O>
void share_out(const csr_view<V, O>& a, const partition_arguments& o, partition_findings& f) {
  const row_partition p =
      partition_rows(a, o.powers, {.algorithm = algorithm_of(o.algorithm), .carry = o.carry});
  for (std::size_t k = 0; k < p.sets.size(); ++k) {
    f.sets.push_back({.figures = p.sets[k],
                      .density = p.sets[k].density(),
                      .power = o.powers[k],
                      .target_nnz = p.target_nnz[k],
                      .difference = relative_difference(p, k)});
    if (o.with_rows) f.sets.back().row_ids = row_ids(p, k);
  }
  f.mean_density = mean_density(p.sets);
  f.padded_zeros = padded_slots(p.sets);
  f.difference = relative_difference(p);
}

/// The blocks as DIA stores them, padded to whole diagonals, and the rest in CSR, which pads nothing.
template <value V, offset O>
void cut_blocks(const csr_view<V, O>& a, const partition_arguments& o, partition_findings& f) {
  const diagonal_blocks<V, O> both = split_diagonal_blocks(a, o.block.value_or(32));
  const row_set blocks{.rows = a.rows, .nnz = both.blocks.nnz(), .width = both.diagonals};
  const row_set rest{.rows = a.rows, .nnz = both.rest.nnz(), .width = measure_rows(both.rest.view()).max};
  f.sets.push_back({.figures = blocks, .density = blocks.density()});
  f.sets.push_back({.figures = rest});
  f.padded_zeros = blocks.padded();
  const double slots = static_cast<double>(blocks.slots()) + static_cast<double>(rest.nnz);
  if (slots > 0) f.mean_density = static_cast<double>(f.nnz) / slots;
}

template <class Number>
json null_without(const std::optional<Number>& number) {
  return number ? json(*number) : json(nullptr);
}

json to_json(const partition_findings& f, const partition_arguments& o) {
  json sets = json::array();
  for (const shown_set& s : f.sets) {
    sets.push_back({{"rows", s.figures.rows},
                    {"nnz", s.figures.nnz},
                    {"width", s.figures.width},
                    {"density", s.density},
                    {"target_nnz", null_without(s.target_nnz)},
                    {"relative_difference", null_without(s.difference)}});
    if (o.with_rows) sets.back()["row_ids"] = s.row_ids;
  }
  const bool by_blocks = o.algorithm == diagonal;
  return {{"matrix", f.matrix},
          {"rows", f.rows},
          {"cols", f.cols},
          {"nnz", f.nnz},
          {"algorithm", by_blocks ? std::string_view(diagonal) : name(algorithm_of(o.algorithm))},
          {by_blocks ? "block" : "powers", by_blocks ? json(o.block.value_or(32)) : json(o.powers)},
          {"sets", sets},
          {"mean_density", f.mean_density},
          {"padded_zeros", f.padded_zeros},
          {"relative_difference", null_without(f.difference)}};
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string ids_text(const json& ids) {
  std::string text;
  for (const json& id : ids) text.append(text.empty() ? "" : " ").append(id.dump());
  return text;
}

void print_text(const partition_findings& f, const partition_arguments& o) {
  print(wrapped(fmt::format("{}: {} x {}, {} nonzeros\n", f.matrix, f.rows, f.cols, f.nnz), 4));
  std::vector<column> columns{{.title = "set"},
                              {.title = "power", .width = 8},
                              {.title = "rows", .width = 10},
                              {.title = "nonzeros", .width = 12},
                              {.title = "target", .width = 12},
                              {.title = "difference", .width = 12},
                              {.title = "width"},
                              {.title = "density", .width = 7}};
  if (o.with_rows) columns.push_back({.title = "row numbers", .left = true});
  const table sets(columns);
  print(sets.head());
  for (std::size_t k = 0; k < f.sets.size(); ++k) {
    const shown_set& s = f.sets[k];
    const std::string part = k == 0 ? "dia" : "csr";
    std::vector<std::string> cells{o.algorithm == diagonal ? part : std::to_string(k + 1),
                                   s.power ? number_text(*s.power) : "-",
                                   std::to_string(s.figures.rows),
                                   std::to_string(s.figures.nnz),
                                   s.target_nnz ? fmt::format("{:.1f}", *s.target_nnz) : "-",
                                   s.difference ? fmt::format("{:+.4f} %", 100 * *s.difference) : "-",
                                   std::to_string(s.figures.width),
                                   s.figures.nnz > 0 ? percent(s.density) : "-"};
    if (o.with_rows) cells.push_back(ids_text(s.row_ids));
    print(sets.row(cells));
  }
  print(fmt::format("mean density {}, {} padded zeros", percent(f.mean_density), f.padded_zeros));
  if (f.difference) print(fmt::format(", sum of the absolute differences {:.4f} %", 100 * *f.difference));
  print("\n");
}

void partition_one(const matrix_member& member, const partition_arguments& o) {
  const auto loaded = load_matrix<double>(member);
  partition_findings f{.matrix = loaded.facts.name};
  std::visit(
      [&](const auto& matrix) {
        const auto a = matrix.view();
        f.rows = a.rows;
        f.cols = a.cols;
        f.nnz = a.nnz();
        if (o.algorithm == diagonal)
          cut_blocks(a, o, f);
        else
          share_out(a, o, f);
      },
      loaded.matrix);
  if (o.as_json)
    print(to_line(to_json(f, o)));
  else
    print_text(f, o);
  flush_output();
}

void check_arguments(partition_arguments& o) {
  const bool by_blocks = o.algorithm == diagonal;
  if (!o.powers_text.empty()) o.powers = parse_powers("partition", o.powers_text);
  if (!by_blocks && o.powers.empty()) fail_usage("partition: --algorithm {} needs --powers", o.algorithm);
  if (!by_blocks && o.block) fail_usage("partition: --block needs --algorithm diagonal");
  if (by_blocks && !o.powers.empty()) fail_usage("partition: --algorithm diagonal takes no --powers");
  if (by_blocks && o.carry) fail_usage("partition: --algorithm diagonal takes no --carry");
  if (by_blocks && o.with_rows)
    fail_usage("partition: --algorithm diagonal takes no --rows: both parts have all of them");
}

int partition(partition_arguments& o) {
  check_arguments(o);
  const std::vector<matrix_member> members = expand_matrices(o.matrices, o.folder);
  check_files(files_of(members), {});
  bool first = true;
  for (const matrix_member& member : members) {
    if (!member.absent_reason.empty()) {
      remark(fmt::format("{}: left out: {}", member.argument, member.absent_reason));
      continue;
    }
    if (!first && !o.as_json) print("\n");
    first = false;
    partition_one(member, o);
  }
  return 0;
}

}  // namespace

void add_partition(command_line& line, action& chosen) {
  subcommand command = line.add_subcommand("partition", "Divide the rows of a matrix among processors");
  const auto o = std::make_shared<partition_arguments>();
  command.add_option("MATRIX", o->matrices, matrices_help).required();
  command
      .add_option(
          "--powers", o->powers_text,
          "Relative speed of each processor, in any unit, such as 75,75,1,1. Each gets one set of rows")
      .type_name("P,P,...");
  command
      .add_option(
          "--algorithm", o->algorithm,
          "What is divided in proportion to the powers. rows: numbers of rows; nnz or nonzeros: numbers "
          "of entries; pmf: numbers of entries, with the rows sorted by length. diagonal: no powers, but "
          "blocks along the diagonal and the rest")
      .check(is_member({"rows", "nnz", "nonzeros", "pmf", diagonal}))
      .capture_default_str();
  command
      .add_option("--block", o->block, "With --algorithm diagonal: rows and columns of a block (default: 32)")
      .check(range(1, 1 << 30))
      .type_name("N");
  command.add_flag("--carry", o->carry, "Add the entries that a set lacks to the target of the next set");
  command.add_flag("--json", o->as_json, "Print one line of JSON for each matrix");
  command.add_flag("--rows", o->with_rows,
                   "Also print the row numbers of each set, counted from 1; lines may be long");
  add_matrices_to(command, o->folder);
  command.callback([&chosen, o] { chosen = [o] { return partition(*o); }; });
}

}  // namespace gossamer::cli
