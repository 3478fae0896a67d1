// SPDX-License-Identifier: BSD-3-Clause
// --device hybrid with --parts, --powers and --algorithm.
#pragma once

#include <string>

#include "gossamer/hybrid.hpp"
#include "resource_argument.hpp"

namespace gossamer::cli {

struct hybrid_argument {
  std::string parts;
  std::string powers;
  std::string algorithm;

  void add_to(CLI::App& command);

  /// Whether --device says hybrid. Throws usage_error where it does and --parts or --device's companions do not fit, or the other way round.
  [[nodiscard]] bool asked(const resource_argument& where) const;

  /// What they name; throws no_device for a device that is not there.
  [[nodiscard]] hybrid present() const;
};

}  // namespace gossamer::cli
