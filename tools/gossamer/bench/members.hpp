// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a benchmark. This is the only part of it that knows how MATRIX arguments and sets are
// spelled.
#pragma once

#include <string>
#include <vector>

#include "arguments/matrix_argument.hpp"
#include "gossamer/matrix.hpp"

namespace gossamer::cli {

struct bench_member {
  std::string name;
  std::string class_name;  ///< of structure; empty where it is not known
  std::string values;      ///< "file", or how a generator makes them
  std::string source;      ///< "file", "like" (a stand-in with a published matrix's figures) or "generated"
  std::string absent;      ///< empty, or why it cannot be had here
  matrix_member from;

  /// The name, with the values where a file has others than its own.
  [[nodiscard]] std::string title() const;
};

/// What a record may hold: the member's file by its name, without the folder, which is of one machine.
std::string without_folder(std::string reason, const bench_member& member);

/// One of each, in the order given, sets written out. Throws usage_error for what is neither a file, nor a
/// specification, nor a set, and for two different matrices of one name and the same values.
std::vector<bench_member> bench_members(const std::vector<std::string>& arguments, const std::string& folder);

/// Reads or generates, with a progress bar.
template <value V>
any_csr<V> load(const bench_member& member);

}  // namespace gossamer::cli
