// SPDX-License-Identifier: BSD-3-Clause
// Takes results matrix by matrix: printed tables, and the JSON document, whole after every matrix.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/report.hpp"
#include "bench/result.hpp"

namespace gossamer::cli {

class bench_record {
 public:
  /// `file` may be empty: no document. With `resume`, a document that is there is gone on with; throws
  /// usage_error where it is none of a benchmark, or of another commit or machine.
  bench_record(bench_machine machine, const bench_settings& settings, std::string file, bool resume);

  /// The bandwidths are those of the first run of a document.
  [[nodiscard]] const bench_machine& machine() const noexcept { return machine_; }

  /// What a resumed document lacks of a matrix: nothing, where every format and peer has a row for every
  /// cache state. Otherwise the matrix is measured whole, since ratios are of one interleaving.
  [[nodiscard]] bool has(const bench_member& member, const std::string& value, const bench_settings& s) const;

  void begin_report(std::size_t matrix_width) { report_.begin(matrix_width); }
  /// All results of one matrix and value type. They take the place of the document's rows of the same cases.
  void add(const std::vector<bench_result>& results);
  /// What cannot be had here. `failed`: though it should be there.
  void add_absent(const bench_member& member, bool failed);

  /// Also for a run without results, and for what is no regular file (a pipe), which is written only once.
  void finish();

  [[nodiscard]] bool any_failed() const noexcept { return any_failed_; }

 private:
  void go_on_with(const std::string& file);

  bench_machine machine_;
  std::string file_;
  bool regular_;
  bench_report report_;
  nlohmann::ordered_json document_;
  bool any_failed_ = false;
};

}  // namespace gossamer::cli
