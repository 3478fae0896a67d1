// SPDX-License-Identifier: BSD-3-Clause
#include "exec/target.hpp"

#include "core/fail.hpp"
#include "exec/cuda/device.hpp"

namespace gossamer::inline v0::exec {
namespace {

target cpu_target(const cpu& where) {
  if (where.threads < 0) fail(errc::invalid_argument, "cpu: threads = {} is negative", where.threads);
  const isa level = where.level == isa::automatic ? automatic_isa() : where.level;
  if (!runs_here(level)) fail(errc::unsupported, "cpu: isa = {}: this CPU does not run it", name(level));
  return {.kind = device_set::cpu, .level = level, .threads = where.threads};
}

}  // namespace

target target_of(const resource& where) {
  if (const auto* host = std::get_if<cpu>(&where)) return cpu_target(*host);
  const int device = std::get<cuda>(where).device;
  require_device(device);
  return {.kind = device_set::cuda,
          .device = device,
          .compute_capability = cuda_properties(device).compute_capability};
}

target planned_target_of(const resource& where) {
  const auto* gpu = std::get_if<cuda>(&where);
  if (gpu == nullptr || gpu->device < cuda_device_count()) return target_of(where);
  constexpr int current_capability = 90;
  return {.kind = device_set::cuda, .device = gpu->device, .compute_capability = current_capability};
}

}  // namespace gossamer::inline v0::exec
