// SPDX-License-Identifier: BSD-3-Clause
// Takes results as they come: a line of the table each, and the JSON document, whole after every one of them.
#pragma once

#include <string>

#include "bench_result.hpp"

namespace gossamer::cli {

class bench_record {
 public:
  /// `file` may be empty: no document.
  bench_record(const bench_machine& machine, std::string file, std::size_t matrix_width);

  void add(const bench_result& result);

  /// Also for a run without results, and for what is no regular file (a pipe), which is written only once.
  void finish() const;

  [[nodiscard]] bool any_failed() const noexcept { return any_failed_; }

 private:
  std::string file_;
  bool regular_;
  table table_;
  nlohmann::ordered_json document_;
  bool any_failed_ = false;
};

}  // namespace gossamer::cli
