// SPDX-License-Identifier: BSD-3-Clause
// The only place where the model asks this machine for anything.
#include "tuning/machine.hpp"

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::inline v0 {

machine_description describe_machine(const resource& where) {
  return naming_out_of_memory("describe_machine", [&] {
    const exec::target target = exec::planned_target_of(where);
    machine_description found{.kind = target.kind, .available_host_bytes = available_memory(cpu{})};
    if (const auto* host = std::get_if<cpu>(&where)) {
      found.level = target.level;
      found.threads = thread_count(*host);
      found.cache_bytes = last_level_cache_bytes(where);
    } else {
      found.compute_capability = target.compute_capability;
      found.available_device_bytes = available_memory(where);
    }
    return found;
  });
}

machine_description tuning::usual_machine(const cpu& where) {
  return {.kind = device_set::cpu,
          .level = exec::target_of(where).level,
          .threads = 16,
          .cache_bytes = std::int64_t{64} << 20};
}

void tuning::check(const machine_description& machine, std::string_view caller) {
  const auto at_least = [&](std::int64_t least, std::string_view member, std::int64_t given) {
    if (given < least)
      fail(errc::invalid_argument, "{}: machine.{} = {} is below {}", caller, member, given, least);
  };
  at_least(0, "available_host_bytes", machine.available_host_bytes);
  if (machine.kind == device_set::cuda) {
    at_least(1, "compute_capability", machine.compute_capability);
    at_least(0, "available_device_bytes", machine.available_device_bytes);
    return;
  }
  if (machine.kind != device_set::cpu)
    fail(errc::invalid_argument, "{}: machine.kind = {} is neither cpu nor cuda", caller,
         static_cast<unsigned>(machine.kind));
  if (machine.level == isa::automatic)
    fail(errc::invalid_argument, "{}: machine.level = auto is no instruction set", caller);
  at_least(1, "threads", machine.threads);
  at_least(0, "cache_bytes", machine.cache_bytes);
}

exec::target tuning::target_of(const machine_description& machine) {
  return {.kind = machine.kind,
          .level = machine.level,
          .threads = machine.threads,
          .compute_capability = machine.compute_capability};
}

}  // namespace gossamer::inline v0
