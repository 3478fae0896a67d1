// SPDX-License-Identifier: BSD-3-Clause
// What an experiment is to measure here: its series as this build and this machine have them, and its
// matrices.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "arguments/command_line.hpp"
#include "bench/settings.hpp"
#include "experiments/experiment.hpp"

namespace gossamer::cli {

/// The command line as it was typed.
struct experiment_options {
  bool list = false;
  std::string name;
  std::vector<std::string> only;
  std::string folder;
  resource_argument where;
  std::string value;
  std::string powers = "measured";
  double beta = 0;
  double seconds = 0.5;
  double time_limit = 0;
  std::string shard;
  std::int64_t llc_bytes = 0;
  std::string json;
  std::string svg;
  bool resume = false;
  std::vector<std::string> from;

  void add_to(subcommand& command);
};

/// Products that run on one resource by one matrix, in turn.
struct meeting {
  experiments::place where = experiments::place::asked;
  experiments::portion of = experiments::portion::whole;
  bench_settings settings;
};

/// Where the result of a series comes from.
struct planned_series {
  const experiments::series* what = nullptr;
  option_texts options;     ///< of the resource where it runs
  std::string absent;       ///< not empty: why there is none
  std::size_t meeting = 0;  ///< which of the experiment's
  std::size_t answer = 0;   ///< its results there: those with this `answers`
};

struct experiment_member {
  bench_member matrix;
  bool of_folder = false;  ///< found in the folder, so what cannot be read is listed and the others go on
};

struct experiment_settings {
  const experiments::experiment* what = nullptr;
  std::vector<experiment_member> members;  ///< of this shard, present ones
  std::vector<bench_member> absent;
  std::vector<planned_series> all_series;
  std::string value;
  std::string powers;
  double time_limit = 0;
  std::vector<meeting> meetings;  ///< the first is of whole matrices on the device of the command line

  [[nodiscard]] const bench_settings& asked() const { return meetings.front().settings; }
  /// On the device of the command line, with the formats and peers of all meetings: whatever multiplies at
  /// all.
  [[nodiscard]] bench_settings everything() const;
};

/// Throws usage_error that lists near names.
const experiments::experiment& experiment_named(const std::string& name);

/// Throws usage_error, and what the library says of devices that are not there, all before anything is
/// measured.
experiment_settings checked(const experiment_options& options);

}  // namespace gossamer::cli
