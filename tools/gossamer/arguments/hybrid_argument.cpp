// SPDX-License-Identifier: BSD-3-Clause
#include "arguments/hybrid_argument.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arguments/powers_argument.hpp"
#include "arguments/usage_error.hpp"

namespace gossamer::cli {

void hybrid_argument::add_to(subcommand& command) {
  command_ = command;
  command
      .add_option(
          "--parts", parts,
          "With --device hybrid: the processors that share the rows, such as cuda:0,cpu:8 (a GPU and 8 CPU "
          "threads)")
      .type_name("PART,PART,...");
  command
      .add_option(
          "--powers", powers,
          "With --device hybrid: relative speed of each part, in any unit, or the word measured (default). "
          "Measured powers are stored for later runs")
      .type_name("P,P,...");
  command
      .add_option("--algorithm", algorithm,
                  "With --device hybrid: how the rows are divided among the parts, as in gossamer partition "
                  "(default: nnz)")
      .check(is_member({"rows", "nnz", "nonzeros", "pmf"}));
  command.add_flag("--rebalance", rebalance,
                   "With --device hybrid: measure the parts with this matrix, and divide the rows again");
}

bool hybrid_argument::asked(const resource_argument& where) const {
  if (where.device != "hybrid") {
    for (const auto& [option, text] : {std::pair("--parts", &parts), std::pair("--powers", &powers),
                                       std::pair("--algorithm", &algorithm)}) {
      if (!text->empty()) fail_usage("{} {} needs --device hybrid", option, *text);
    }
    if (rebalance) fail_usage("--rebalance needs --device hybrid");
    return false;
  }
  if (parts.empty()) fail_usage("--device hybrid needs --parts, such as cuda:0,cpu:8");
  return true;
}

hybrid hybrid_argument::present() const {
  hybrid where = parse_hybrid(
      parts, powers_are_measured() ? std::vector<double>() : parse_powers("--device hybrid", powers, true));
  if (!algorithm.empty()) where.sharing.algorithm = algorithm_of(algorithm);
  static_cast<void>(automatic_isa());
  for (const hybrid_part& each : where.parts) {
    if (const auto* gpu = std::get_if<cuda>(&each.where)) static_cast<void>(cuda_properties(gpu->device));
  }
  check_threads(where);
  return where;
}

void hybrid_argument::check_threads(const hybrid& where) const {
  if (!command_) return;
  const option limit = command_->get_option("--threads");
  if (limit.empty()) return;
  std::int64_t needed = 0;
  for (const hybrid_part& each : where.parts) {
    const auto* const group = std::get_if<cpu>(&each.where);
    if (group != nullptr && each.power > 0) needed += std::max(1, group->threads);
  }
  if (needed > limit.as_int())
    fail_usage("--threads {}: --parts {} needs at least {} threads", limit.as_int(), parts, needed);
}

}  // namespace gossamer::cli
