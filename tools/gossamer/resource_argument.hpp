// SPDX-License-Identifier: BSD-3-Clause
// --device and --threads.
#pragma once

#include <string>

#include "command.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::cli {

struct resource_argument {
  std::string device = "cpu";
  int threads = 0;

  void add_device_to(CLI::App& command);
  void add_threads_to(CLI::App& command);

  /// What they name, existing or not. Also refuses a bad GOSSAMER_ISA, whatever else is asked.
  [[nodiscard]] resource planned() const;

  /// What they name; throws no_device where it is not there.
  [[nodiscard]] resource present() const;
};

}  // namespace gossamer::cli
