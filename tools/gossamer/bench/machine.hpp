// SPDX-License-Identifier: BSD-3-Clause
// The machine that a record is of.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/settings.hpp"

namespace gossamer::cli {

struct bench_machine {
  std::string cpu;
  int threads = 0;
  double stream_gbs = 0;
  std::optional<std::string> gpu;  ///< of a hybrid all of them, " + " between
  double copy_gbs = 0;             ///< of the device that multiplies
  std::string isa;
  std::int64_t llc_bytes = 0;  ///< of the device that multiplies: a GPU's L2
  std::optional<std::string> driver;
  std::optional<std::string> cuda;           ///< "driver's newest / library's own"
  std::map<std::string, std::string> peers;  ///< name to version
  std::optional<std::int64_t> memory_limit;  ///< of our plans on a GPU
  reordering reorder = reordering::none;     ///< of our plans
  bool values_change = false;                ///< of our plans
  double bus_gbs = 0;  ///< from the host to the first GPU, where there is a limit or the matrix is shared
};

/// All but the bandwidths, which take a second to measure.
bench_machine identify_machine(const bench_settings& settings);
void measure_bandwidths(bench_machine& machine, const bench_settings& settings);

nlohmann::ordered_json to_json(const bench_machine& machine);

/// Empty, or what differs in a word: two records may only be joined where nothing does. Bandwidths may
/// differ, and one of them may know a peer that the other did not ask for.
std::string difference(const nlohmann::ordered_json& recorded, const nlohmann::ordered_json& here);

}  // namespace gossamer::cli
