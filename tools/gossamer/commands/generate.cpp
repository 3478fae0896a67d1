// SPDX-License-Identifier: BSD-3-Clause
// gossamer generate: a matrix from a line of text, as a file.
#include "bench_support/generate/generate.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "arguments/file_argument.hpp"
#include "arguments/usage_error.hpp"
#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/catalog/matrix_sets.hpp"
#include "commands/commands.hpp"
#include "gossamer/io.hpp"
#include "output/output.hpp"
#include "output/progress_bar.hpp"
#include "output/wrap.hpp"

namespace gossamer::cli {
namespace {

struct generate_options {
  std::string specification;
  std::string file;
  bool list = false;
  bool list_matrices = false;
};

void print_generators() {
  for (const bench_support::generator_info& generator : bench_support::generators()) {
    print(wrapped(fmt::format("{}\n    {}\n", generator.name, generator.help), 6));
    for (const bench_support::generator_parameter& parameter : generator.parameters) {
      const std::string value = parameter.default_text.empty() ? std::string(" (must be given)")
                                                               : fmt::format("={}", parameter.default_text);
      print(wrapped(fmt::format("    {}{}: {}\n", parameter.name, value, parameter.help), 6));
    }
  }
}

void print_matrices() {
  for (const bench_support::known_matrix& m : bench_support::known_matrices()) {
    std::string aliases;
    for (const std::string_view alias : m.aliases) aliases.append(", ").append(alias);
    print(wrapped(fmt::format("{}{}: {}, {} x {}, {} nonzeros ({})\n", m.name, aliases, name(m.kind), m.rows,
                              m.cols, m.nnz, m.figures.front().source),
                  4));
  }
  for (const bench_support::matrix_set& set : bench_support::matrix_sets())
    print(wrapped(fmt::format("@{}: {}, {} matrices\n", set.name, set.help, set.members.size()), 4));
}

int generate_file(const generate_options& o) {
  if (o.list) {
    print_generators();
    return 0;
  }
  if (o.list_matrices) {
    print_matrices();
    return 0;
  }
  if (o.specification.empty())
    fail_usage("generate: SPEC is missing; gossamer generate --list shows the generators");
  if (o.file.empty()) fail_usage("generate: -o FILE is missing");
  check_files({}, {o.file});
  progress_bar bar(o.specification);
  const auto matrix = bench_support::generate<double>(o.specification, bar.callback());
  bar.show("write", 0);
  write_output([&] { write_matrix_market(o.file, matrix.view()); });
  return 0;
}

}  // namespace

void add_generate(command_line& line, action& chosen) {
  subcommand command = line.add_subcommand("generate", "Generate a matrix and write it to a file");
  const auto o = std::make_shared<generate_options>();
  command.add_option("SPEC", o->specification,
                     "A generator with its parameters, such as 'stencil(nx=100,ny=100,nz=100,points=27)'");
  writes_file(command.add_option("-o,--output", o->file,
                                 "Matrix Market file to write; compressed if it ends in .gz; - is stdout"));
  command.add_flag("--list", o->list, "List the generators and their parameters");
  command.add_flag("--list-matrices", o->list_matrices,
                   "List the names for like(NAME), and the sets of matrices");
  command.callback([&chosen, o] { chosen = [o] { return generate_file(*o); }; });
}

}  // namespace gossamer::cli
