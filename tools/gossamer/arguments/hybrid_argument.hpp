// SPDX-License-Identifier: BSD-3-Clause
// --device hybrid with --parts, --powers, --algorithm and --rebalance.
#pragma once

#include <optional>
#include <string>

#include "arguments/resource_argument.hpp"
#include "gossamer/hybrid.hpp"

namespace gossamer::cli {

struct hybrid_argument {
  std::string parts;
  std::string powers;
  std::string algorithm;
  bool rebalance = false;

  void add_to(subcommand& command);

  /// Whether --device says hybrid. Throws usage_error where it does and --parts or --device's companions do
  /// not fit, or the other way round.
  [[nodiscard]] bool asked(const resource_argument& where) const;

  /// What they name, with powers of 1 where they are to be measured; throws no_device for a device that is
  /// not there.
  [[nodiscard]] hybrid present() const;

  /// For a matrix and a format: with powers measured where none were typed, and shares corrected where that
  /// was asked.
  template <value V, offset O>
  [[nodiscard]] hybrid settled(const hybrid& given, const csr_view<V, O>& a,
                               const inspect_options& options) const {
    hybrid where = powers_are_measured() ? measure_powers<V>(given, options) : given;
    return rebalance ? gossamer::rebalance(a, std::move(where), options) : where;
  }

 private:
  /// Throws usage_error if --threads is less than the parts on the CPU need.
  void check_threads(const hybrid& where) const;
  [[nodiscard]] bool powers_are_measured() const { return powers.empty() || powers == "measured"; }

  std::optional<subcommand> command_;  ///< which has --threads
};

}  // namespace gossamer::cli
