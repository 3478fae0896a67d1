// SPDX-License-Identifier: BSD-3-Clause
// Tells specifications from files, and loads either.
#include "matrix_argument.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "gossamer/generate.hpp"
#include "gossamer/matrix_market.hpp"
#include "progress_bar.hpp"
#include "usage_error.hpp"

namespace gossamer::cli {
namespace {

std::string trimmed(std::string text) {
  constexpr const char* blank = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

}  // namespace

template <value V>
loaded_matrix<V> load_matrix(const std::string& argument, int threads) {
  check_matrix(argument);
  matrix_facts facts{.name = matrix_name(argument)};
  progress_bar bar(facts.name);
  if (is_specification(argument)) {
    facts.generator = trimmed(argument.substr(0, argument.find('(')));
    auto made = generate<V>(argument, bar.callback());
    return {std::move(facts), narrow_offsets(std::move(made))};
  }
  auto file = read_matrix_market<V>(argument, {.threads = threads, .progress = bar.callback()});
  facts.symmetry = file.header.symmetry;
  facts.field = file.header.field;
  return {std::move(facts), narrow_offsets(std::move(file.matrix))};
}

std::string matrix_name(const std::string& argument) {
  if (is_specification(argument)) return trimmed(argument);
  std::filesystem::path file = std::filesystem::path(argument).filename();
  if (file.extension() == ".gz") file = file.stem();
  if (file.extension() == ".mtx") file = file.stem();
  return file.string();
}

void check_matrix(const std::string& argument) {
  if (is_specification(argument)) return;
  if (!argument.empty() && argument.front() == '@')
    fail_usage("{}: named sets of matrices are not supported by this version", argument);
  std::error_code code;
  const auto status = std::filesystem::status(argument, code);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) return;
  if (std::filesystem::is_directory(status)) code = std::make_error_code(std::errc::is_a_directory);
  fail_usage("{}: cannot open: {}", argument, code ? code.message() : "No such file or directory");
}

template loaded_matrix<float> load_matrix(const std::string&, int);
template loaded_matrix<double> load_matrix(const std::string&, int);

}  // namespace gossamer::cli
