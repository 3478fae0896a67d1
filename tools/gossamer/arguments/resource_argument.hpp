// SPDX-License-Identifier: BSD-3-Clause
// --device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arguments/command_line.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::cli {

struct resource_argument {
  std::string device = "cpu";

  /// `may_be_hybrid`: the command also takes --device hybrid.
  void add_device_to(subcommand& command, bool may_be_hybrid = false);

  /// What they name, existing or not. Also refuses a bad GOSSAMER_ISA, whatever else is asked.
  [[nodiscard]] resource planned() const;

  /// What they name; throws no_device where it is not there.
  [[nodiscard]] resource present() const;
};

/// --reorder, whose text parse_reordering() takes.
void add_reorder_to(subcommand& command, std::string& text);

void add_memory_limit_to(subcommand& command, std::optional<std::int64_t>& bytes);

/// Throws usage_error that begins with the command's name where a limit is given and the resource is no GPU.
void check_memory_limit(std::string_view command, const std::optional<std::int64_t>& bytes,
                        const resource& where);

}  // namespace gossamer::cli
