// SPDX-License-Identifier: BSD-3-Clause
#include "bench/members.hpp"

#include <algorithm>
#include <filesystem>

#include "arguments/usage_error.hpp"
#include "bench_support/catalog/matrix_catalog.hpp"
#include "gossamer/error.hpp"

namespace gossamer::cli {
namespace {

std::string generator_of(const matrix_member& from) {
  return from.specification.substr(0, from.specification.find('('));
}

std::string source_of(const matrix_member& from) {
  if (from.specification.empty()) return "file";
  return generator_of(from) == "like" ? "like" : "generated";
}

/// The set's, else that of the matrix which like(NAME) stands for, else the generator's name.
std::string class_of(const matrix_member& from) {
  if (!from.class_name.empty() || source_of(from) != "like")
    return from.class_name.empty() ? generator_of(from) : from.class_name;
  const std::size_t begin = from.specification.find('(') + 1;
  const std::string named =
      from.specification.substr(begin, from.specification.find_first_of(",) ", begin) - begin);
  try {
    return std::string(name(bench_support::find_known_matrix(named).kind));
  } catch (const error&) {
    return {};  // generate says what is wrong, with more words
  }
}

bench_member member_of(const matrix_member& from) {
  return {.name = from.name,
          .class_name = class_of(from),
          .values = from.values,
          .source = source_of(from),
          .absent = from.absent_reason,
          .from = from};
}

}  // namespace

std::string bench_member::title() const {
  return source == "file" && values != "file" ? name + " values=" + values : name;
}

std::string without_folder(std::string reason, const bench_member& member) {
  const std::string& path = member.from.path;
  if (path.empty()) return reason;
  const std::string file = std::filesystem::path(path).filename().string();
  for (std::size_t at = reason.find(path); at != std::string::npos; at = reason.find(path, at + file.size()))
    reason.replace(at, path.size(), file);
  return reason;
}

std::vector<bench_member> bench_members(const std::vector<std::string>& arguments,
                                        const std::string& folder) {
  std::vector<bench_member> members;
  for (const matrix_member& from : expand_matrices(arguments, folder)) {
    const auto same = [&](const bench_member& other) {
      return other.name == from.name && other.values == from.values;
    };
    const auto twin = std::find_if(members.begin(), members.end(), same);
    if (twin == members.end())
      members.push_back(member_of(from));
    else if (twin->from.path != from.path || twin->from.specification != from.specification ||
             twin->from.seed != from.seed)
      fail_usage("bench: {} and {} are different matrices, but both are called {}", twin->from.argument,
                 from.argument, from.name);
  }
  return members;
}

template <value V>
any_csr<V> load(const bench_member& member) {
  return load_matrix<V>(member.from).matrix;
}

template any_csr<float> load(const bench_member&);
template any_csr<double> load(const bench_member&);

}  // namespace gossamer::cli
