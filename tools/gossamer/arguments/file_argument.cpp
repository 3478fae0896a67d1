// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/file_argument.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "arguments/usage_error.hpp"
#include "gossamer/io.hpp"
#include "output/output.hpp"

namespace gossamer::cli {
namespace {

option with_dash_as(option given, const char* name) {
  return given.type_name("FILE").transform({[name](std::string& text) {
    if (text == "-") text = name;
    return std::string();
  }});
}

/// One file under two names, also through links. What is read from a terminal, pipe or socket is not what is
/// written to it.
bool same_file(const std::string& a, const std::string& b) {
  struct stat one {};
  struct stat other {};
  if (::stat(a.c_str(), &one) != 0 || ::stat(b.c_str(), &other) != 0) return false;
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
         (S_ISREG(one.st_mode) || S_ISBLK(one.st_mode));
}

/// Whether both names denote the same output: the same file, the same descriptor of this process, or the same
/// canonical path, since a new file has no inode yet.
bool same_output(const std::string& a, const std::string& b) {
  if (same_file(a, b)) return true;
  if (is_stream(a) || is_stream(b)) return own_descriptor(a) >= 0 && own_descriptor(a) == own_descriptor(b);
  std::error_code code;
  const auto canonical_path = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, code), code);
  };
  return canonical_path(a) == canonical_path(b);
}

}  // namespace

option reads_file(option given) {
  return with_dash_as(given, stdin_name);
}

option writes_file(option given) {
  return with_dash_as(given, "/dev/stdout");
}

void check_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  std::set<int> read;
  for (const std::string& input : inputs) {
    const int number = own_descriptor(input);
    if (number >= 0 && !read.insert(number).second)
      fail_usage("{}: given for two inputs, but can be read only once", input);
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string& output = outputs[k];
    if (output.empty()) continue;
    check_output(output);
    if (own_descriptor(output) == STDOUT_FILENO) keep_stdout_for_document();
    for (const std::string& input : inputs) {
      if (!input.empty() && same_file(input, output))
        fail_usage("{}: the output is also an input, {}", output, input);
    }
    for (std::size_t j = 0; j < k; ++j) {
      if (!outputs[j].empty() && same_output(outputs[j], output))
        fail_usage("{}: given for two outputs", output);
    }
  }
  for (const std::string& input : inputs) {
    if (!input.empty() && same_file(input, "/dev/stdout"))
      fail_usage("/dev/stdout: the output is also an input, {}", input);
  }
}

}  // namespace gossamer::cli
