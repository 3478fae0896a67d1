// SPDX-License-Identifier: BSD-3-Clause
// What --device may be, and what this machine has.
#include "arguments/resource_argument.hpp"

#include "arguments/usage_error.hpp"

namespace gossamer::cli {

void resource_argument::add_device_to(subcommand& command, bool may_be_hybrid) {
  command
      .add_option("--device", device,
                  may_be_hybrid ? "cpu, cuda:N for the GPU with number N, or hybrid, which needs --parts"
                                : "cpu, or cuda:N for the GPU with number N")
      .capture_default_str()
      .type_name("DEVICE");
}

resource resource_argument::planned() const {
  if (device == "hybrid")
    fail_usage("--device hybrid works only with gossamer multiply and gossamer bench; give cpu or cuda:N");
  const resource where = parse_resource(device);
  static_cast<void>(automatic_isa());
  return where;
}

resource resource_argument::present() const {
  const resource where = planned();
  if (const auto* gpu = std::get_if<cuda>(&where)) static_cast<void>(cuda_properties(gpu->device));
  return where;
}

void add_reorder_to(subcommand& command, std::string& text) {
  command
      .add_option("--reorder", text,
                  "rcm: reorder the rows and columns of A inside, by reverse Cuthill-McKee; x and y stay as "
                  "they are")
      .check(is_member({"none", "rcm"}))
      .capture_default_str();
}

void add_memory_limit_to(subcommand& command, std::optional<std::int64_t>& bytes) {
  command
      .add_option("--memory-limit", bytes,
                  "Most bytes of the matrix to keep in the memory of each GPU; the rest stays in host memory "
                  "(default: what is free)")
      .check(range(0, std::int64_t{1} << 50))
      .type_name("BYTES");
}

void check_memory_limit(std::string_view command, const std::optional<std::int64_t>& bytes,
                        const resource& where) {
  if (bytes && std::holds_alternative<cpu>(where))
    fail_usage("{}: --memory-limit {} needs --device cuda:N", command, *bytes);
}

}  // namespace gossamer::cli
