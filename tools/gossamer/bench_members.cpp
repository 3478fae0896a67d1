// SPDX-License-Identifier: BSD-3-Clause
#include "bench_members.hpp"

#include <algorithm>

#include "gossamer/generate.hpp"
#include "matrix_argument.hpp"
#include "usage_error.hpp"

namespace gossamer::cli {
namespace {

std::string source_of(const std::string& argument) {
  if (!is_specification(argument)) return "file";
  return matrix_name(argument).rfind("like(", 0) == 0 ? "like" : "generated";
}

/// What stands behind "values=" in a specification; "" where nothing does: the generator's own.
std::string values_of(const std::string& argument) {
  if (!is_specification(argument)) return "file";
  const std::size_t at = argument.find("values");
  const std::size_t equals = at == std::string::npos ? at : argument.find('=', at);
  if (equals == std::string::npos) return "";
  int depth = 0;
  std::size_t end = equals + 1;
  for (; end < argument.size(); ++end) {
    const char c = argument[end];
    if (depth == 0 && (c == ',' || c == ')')) break;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  const std::size_t begin = argument.find_first_not_of(' ', equals + 1);
  return argument.substr(begin, end - begin);
}

}  // namespace

std::vector<bench_member> bench_members(const std::vector<std::string>& arguments,
                                        const std::string& /*folder*/) {
  std::vector<bench_member> members;
  for (const std::string& argument : arguments) {
    check_matrix(argument);
    const bench_member member{
        .name = matrix_name(argument),
        .class_name = is_specification(argument) ? argument.substr(0, argument.find('(')) : std::string(),
        .values = values_of(argument),
        .source = source_of(argument),
        .argument = argument,
        .absent = {}};
    const auto same = [&](const bench_member& other) { return other.name == member.name; };
    const auto twin = std::find_if(members.begin(), members.end(), same);
    if (twin == members.end())
      members.push_back(member);
    else if (twin->argument != argument)
      fail_usage("bench: {} and {} would both be called {}", twin->argument, argument, member.name);
  }
  return members;
}

template <value V>
any_csr<V> load(const bench_member& member) {
  return load_matrix<V>(member.argument).matrix;
}

template any_csr<float> load(const bench_member&);
template any_csr<double> load(const bench_member&);

}  // namespace gossamer::cli
