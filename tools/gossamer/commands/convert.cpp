// SPDX-License-Identifier: BSD-3-Clause
// gossamer convert: any matrix that can be read, as a general real Matrix Market file.
#include <memory>
#include <string>
#include <variant>

#include "arguments/file_argument.hpp"
#include "arguments/matrix_argument.hpp"
#include "commands/commands.hpp"
#include "gossamer/io.hpp"
#include "output/output.hpp"

namespace gossamer::cli {
namespace {

struct convert_options {
  std::string matrix;
  std::string file;
};

int convert(const convert_options& o) {
  check_files({matrix_file(o.matrix)}, {o.file});
  const auto loaded = load_matrix<double>(o.matrix);
  write_output(
      [&] { std::visit([&](const auto& a) { write_matrix_market(o.file, a.view()); }, loaded.matrix); });
  return 0;
}

}  // namespace

void add_convert(command_line& line, action& chosen) {
  subcommand command = line.add_subcommand("convert", "Write a matrix as a Matrix Market file");
  const auto o = std::make_shared<convert_options>();
  command.add_option("MATRIX", o->matrix, matrix_help).required();
  writes_file(command.add_option("-o,--output", o->file,
                                 "Matrix Market file to write; compressed if it ends in .gz; - is stdout"))
      .required();
  command.callback([&chosen, o] { chosen = [o] { return convert(*o); }; });
}

}  // namespace gossamer::cli
