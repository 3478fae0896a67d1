// SPDX-License-Identifier: BSD-3-Clause
// The document of an experiment: rows matrix by matrix, whole on disk after each; gone on with, or joined
// from parts.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "experiment/settings.hpp"

namespace gossamer::cli {

class experiment_record {
 public:
  /// A new document, or with `resume` the one that is there. Measures the machine's bandwidths where it is
  /// new. Throws usage_error where the file is no document of this experiment, value type, device, commit and
  /// machine.
  experiment_record(const experiment_settings& settings, bench_machine machine, std::string file,
                    bool resume);

  /// The rows of all parts, a matrix's from the last that has it. Throws usage_error where they are not of
  /// one experiment, value type, device, commit and machine. `file` may be empty.
  experiment_record(const experiments::experiment& what, const std::vector<std::string>& parts,
                    std::string file);

  [[nodiscard]] double copy_gbs() const;

  /// Whether every series has a row of the matrix.
  [[nodiscard]] bool has(const bench_member& member) const;

  /// All rows of one matrix, instead of those that are there.
  void add(const bench_member& member, const experiments::rows& rows);
  /// A matrix that is not here, or cannot be read.
  void refuse(const bench_member& member, const std::string& reason);

  [[nodiscard]] const experiments::rows& rows() const { return document_.at("rows"); }
  [[nodiscard]] const nlohmann::ordered_json& refused() const { return document_.at("refused"); }
  /// Whether one of our products failed.
  [[nodiscard]] bool any_failed() const;

  void write() const;

 private:
  void remove(const bench_member& member);

  const experiments::experiment& what_;
  std::string file_;
  nlohmann::ordered_json document_;
};

}  // namespace gossamer::cli
