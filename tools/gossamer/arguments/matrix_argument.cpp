// SPDX-License-Identifier: BSD-3-Clause
// Tells sets, specifications and files apart, finds files by name, and loads either.
#include "arguments/matrix_argument.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "arguments/file_argument.hpp"
#include "arguments/usage_error.hpp"
#include "bench_support/catalog/matrix_catalog.hpp"
#include "bench_support/catalog/matrix_sets.hpp"
#include "bench_support/generate/generate.hpp"
#include "gossamer/error.hpp"
#include "gossamer/io.hpp"
#include "output/progress_bar.hpp"

namespace gossamer::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder_variable = "GOSSAMER_MATRICES";

std::string trimmed(std::string text) {
  constexpr const char* blank = " \t\n\r";
  const std::size_t begin = text.find_first_not_of(blank);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

bool is_set(const std::string& argument) {
  return !argument.empty() && argument.front() == '@';
}

std::string without_suffixes(fs::path file) {
  file = file.filename();
  if (file.extension() == ".gz") file = file.stem();
  if (file.extension() == ".mtx") file = file.stem();
  return file.string();
}

void check_file(const std::string& path) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (fs::exists(status) && !fs::is_directory(status)) return;
  if (fs::is_directory(status)) code = std::make_error_code(std::errc::is_a_directory);
  fail_usage("{}: cannot open: {}", path, code ? code.message() : "No such file or directory");
}

/// Sets path, or absent_reason.
void find_file(matrix_member& member, const std::string& name, const std::string& folder) {
  if (folder.empty()) {
    member.absent_reason = fmt::format("no folder of matrices is given (--matrices or {})", folder_variable);
    return;
  }
  for (const char* suffix : {".mtx.gz", ".mtx"}) {
    const fs::path path = fs::path(folder) / (name + suffix);
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) continue;
    member.path = path.string();
    return;
  }
  member.absent_reason = fmt::format("the folder of matrices has no {}.mtx.gz or {}.mtx", name, name);
}

matrix_member of_specification(const std::string& text) {
  matrix_member member{.name = text, .argument = text, .specification = text};
  member.values = bench_support::generators()
                      .front()
                      .parameters.back()
                      .default_text;  // values is every generator's last one
  try {
    for (const auto& [key, value] : bench_support::parse_specification(text).assignments) {
      if (key == "values") member.values = value;
    }
  } catch (const error&) {  // NOLINT(bugprone-empty-catch): generate says what is wrong, with more words
  }
  return member;
}

std::uint64_t seed_of(const std::string& argument, const std::string& text) {
  std::int64_t seed = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, seed);
  if (code != std::errc{} || stop != end || seed < 0)
    fail_usage("{}: seed = \"{}\" is not a whole number of at least 0", argument, text);
  return static_cast<std::uint64_t>(seed);
}

/// file(NAME, values=..., seed=...)
matrix_member of_named_file(const std::string& argument, const bench_support::specification_parts& parts,
                            const std::string& folder) {
  std::string name;
  matrix_member member{.values = "file", .argument = argument};
  for (const auto& [key, value] : parts.assignments) {
    if (key.empty() || key == "name")
      name = value;
    else if (key == "values")
      member.values = value;
    else if (key == "seed")
      member.seed = seed_of(argument, value);
    else
      fail_usage("{}: there is no parameter \"{}\" (known: name, values, seed)", argument, key);
  }
  if (name.empty()) fail_usage("{}: the file's name is missing", argument);
  if (member.values != "file") {
    csr_matrix<double> none;
    bench_support::assign_values(none, member.values);  // refuses an unknown word before the file is read
  }
  member.name = without_suffixes(name);
  if (name.find('/') != std::string::npos || fs::path(name).extension() == ".mtx" ||
      fs::path(name).extension() == ".gz")
    check_file(member.path = name);
  else
    find_file(member, name, folder);
  return member;
}

matrix_member of_set(const bench_support::matrix_set_member& given, const std::string& folder) {
  matrix_member member;
  if (!given.file.empty()) {
    member.name = given.file;
    member.values = given.values.empty() ? "file" : given.values;
    member.argument = given.values.empty() ? fmt::format("file({})", given.file)
                                           : fmt::format("file({},values={})", given.file, given.values);
    find_file(member, given.file, folder);
  }
  if (member.path.empty() && !given.specification.empty()) member = of_specification(given.specification);
  member.class_name = given.group;
  return member;
}

std::string environment_folder() {
  const char* folder = std::getenv(folder_variable);
  return folder == nullptr ? "" : folder;
}

}  // namespace

matrix_member expand_matrix(const std::string& argument, const std::string& folder) {
  if (is_set(argument)) {
    (void)bench_support::find_matrix_set(argument.substr(1));
    fail_usage("{}: a set of matrices, but this command needs one matrix", argument);
  }
  if (argument == "-") return {.name = "stdin", .values = "file", .argument = argument, .path = stdin_name};
  if (!bench_support::is_specification(argument)) {
    check_file(argument);
    return {.name = without_suffixes(argument), .values = "file", .argument = argument, .path = argument};
  }
  const std::string text = trimmed(argument);
  if (trimmed(text.substr(0, text.find('('))) != "file") return of_specification(text);
  matrix_member member = of_named_file(text, bench_support::parse_specification(text), folder);
  if (!member.absent_reason.empty())
    fail_usage("{}: {}{}", text, member.absent_reason, folder.empty() ? "" : fmt::format(" ({})", folder));
  return member;
}

std::vector<matrix_member> expand_matrices(const std::vector<std::string>& arguments,
                                           const std::string& folder) {
  std::vector<matrix_member> all;
  for (const std::string& argument : arguments) {
    if (!is_set(argument)) {
      all.push_back(expand_matrix(argument, folder));
      continue;
    }
    for (const bench_support::matrix_set_member& each :
         bench_support::find_matrix_set(argument.substr(1)).members)
      all.push_back(of_set(each, folder));
  }
  return all;
}

template <value V>
loaded_matrix<V> load_matrix(const matrix_member& member) {
  if (!member.absent_reason.empty()) fail_usage("{}: {}", member.argument, member.absent_reason);
  matrix_facts facts{.name = member.name};
  facts.values = member.values;
  progress_bar bar(facts.name);
  if (!member.specification.empty()) {
    const std::string& text = member.specification;
    facts.generator = trimmed(text.substr(0, text.find('(')));
    auto made = bench_support::generate<V>(text, bar.callback());
    if (facts.generator == "like") {
      for (const auto& [key, value] : bench_support::parse_specification(text).assignments) {
        if (key.empty() || key == "name") facts.stand_in = bench_support::find_known_matrix(value).name;
      }
    }
    return {std::move(facts), narrow_offsets(std::move(made))};
  }
  auto file = read_matrix_market<V>(member.path, {.progress = bar.callback()});
  facts.symmetry = file.header.symmetry;
  facts.field = file.header.field;
  if (member.values != "file") bench_support::assign_values(file.matrix, member.values, member.seed);
  return {std::move(facts), narrow_offsets(std::move(file.matrix))};
}

template <value V>
loaded_matrix<V> load_matrix(const std::string& argument) {
  return load_matrix<V>(expand_matrix(argument, environment_folder()));
}

std::string matrix_name(const std::string& argument) {
  return expand_matrix(argument, environment_folder()).name;
}

std::string matrix_file(const std::string& argument) {
  return expand_matrix(argument, environment_folder()).path;
}

std::vector<std::string> files_of(const std::vector<matrix_member>& members) {
  std::vector<std::string> files;
  files.reserve(members.size());
  for (const matrix_member& member : members) files.push_back(member.path);
  return files;
}

void check_matrix(const std::string& argument) {
  (void)expand_matrix(argument, environment_folder());
}

void add_matrices_to(subcommand& command, std::string& folder) {
  command
      .add_option("--matrices", folder,
                  "Folder of matrix files, NAME.mtx.gz or NAME.mtx, for sets and file(NAME)")
      .envname(folder_variable)
      .type_name("FOLDER");
}

template loaded_matrix<float> load_matrix(const matrix_member&);
template loaded_matrix<double> load_matrix(const matrix_member&);
template loaded_matrix<float> load_matrix(const std::string&);
template loaded_matrix<double> load_matrix(const std::string&);

}  // namespace gossamer::cli
