// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark is to measure: the command line, checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments/command_line.hpp"
#include "arguments/hybrid_argument.hpp"
#include "arguments/resource_argument.hpp"
#include "bench/members.hpp"
#include "bench_support/split/split_product.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {

/// The command line as it was typed.
struct bench_options {
  std::vector<std::string> matrices;
  std::vector<std::string> formats = {"all"};
  std::vector<std::string> options;
  bool all_options = false;
  std::vector<std::string> peers = {"all"};
  std::vector<std::string> values = {"f64"};
  std::vector<std::string> caches = {"hot"};
  std::vector<std::string> operations = {"forward"};
  std::vector<std::int64_t> columns = {1};
  resource_argument where;
  hybrid_argument shared;
  std::string vectors = "host";
  double seconds = 0.5;
  double time_limit = 0;
  std::string shard;
  std::string folder;
  std::int64_t llc_bytes = 0;
  std::optional<std::int64_t> memory_limit;
  std::string reorder = "none";
  int inspections = 1;
  bool values_change = false;
  std::string json;
  bool resume = false;
  bool verbose = false;
  std::optional<subcommand> bench_command;  ///< which has --threads

  void add_to(subcommand& command);
};

/// What stands for a format where inspect() is to choose one.
inline constexpr std::string_view choice_of_format = "auto";

struct bench_format {
  std::string name;
  option_texts options;
  /// How the options were asked for: "" the defaults, "kernel=warp", or "all" settings worth timing (the
  /// default among them). A record that has a row of a format for this has all of them.
  std::string asked;
  /// Not on the settings' one resource, but by these parts together on host vectors; `name` and `options` are
  /// then those of parts that name none.
  std::optional<hybrid> shared;
  hybrid_argument shares = {};  ///< how powers of `shared` are found
  std::optional<bench_support::split_sides> split =
      {};  ///< not on one resource either: diagonal blocks and the rest apart
};

struct bench_settings {
  std::vector<bench_member> members;  ///< of this shard, present ones
  std::vector<bench_member> absent;
  std::vector<bench_format> formats;
  std::vector<std::string> peers;  ///< that are here and run on the device
  std::vector<std::string> values;
  std::vector<cache_state> caches;
  std::vector<operation> operations = {operation::forward};  ///< or transposed, or both of these
  std::vector<std::int64_t> columns = {1};                   ///< of X and Y, 1 or more each
  resource where;
  std::optional<hybrid> shared;  ///< --device hybrid: `where` is then where its vectors are, the cpu or a GPU
  hybrid_argument shares;        ///< how powers of `shared` are found
  bool device_vectors =
      false;  ///< of `shared`, all of whose parts are on GPUs; `where` is then the first of them
  double seconds = 0;
  double time_limit = 0;  ///< 0: none
  std::int64_t llc_bytes = 0;
  std::optional<std::int64_t> memory_limit;  ///< of our plans on a GPU
  reordering reorder = reordering::none;     ///< of our plans
  int inspections = 1;                       ///< of our plans: more than one, and inspecting is timed alone
  bool values_change = false;                ///< of our plans, whose update_values() is timed too
  int threads = 0;                           ///< of --threads; 0: not given
  bool verbose = false;                      ///< print one wide table with all figures
  double beta = 0;                           ///< of the timed product y = A x + beta y; 0 or 1
  bool break_even = true;                    ///< plain csr is timed too, where it is not among the formats
};

/// Whether a peer is timed for that product: those that transpose have no other one, and those that multiply
/// several columns at once are left out for one.
bool is_timed(std::string_view peer, operation op, std::int64_t columns);

/// "i/n": keeps member i, i + n, ... of the list, counted from 1. Throws usage_error that begins with the
/// command's name.
void take_shard(std::string_view command, const std::string& shard, std::vector<bench_member>& members);

/// Throws usage_error and what the library says of unknown names, all before anything is measured. Notes
/// each peer that was asked for and is not here.
bench_settings checked(const bench_options& options);

}  // namespace gossamer::cli
