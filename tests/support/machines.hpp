// SPDX-License-Identifier: BSD-3-Clause
// Machines that tests of the model plan for, whichever they run on.
#pragma once

#include <cstdint>

#include "gossamer/machine.hpp"

namespace gossamer::testing_support {

/// Two threads of a Zen 4, on which the constants of CPUs were fitted.
inline constexpr machine_description zen4{.kind = device_set::cpu,
                                          .level = isa::avx512,
                                          .threads = 2,
                                          .cache_bytes = std::int64_t{32} << 20,
                                          .available_host_bytes = std::int64_t{64} << 30};

/// Two processors of a Xeon (family 6, model 207): the virtual machine is told of the whole cache.
inline constexpr machine_description xeon{.kind = device_set::cpu,
                                          .level = isa::avx512,
                                          .threads = 2,
                                          .cache_bytes = std::int64_t{260} << 20,
                                          .available_host_bytes = std::int64_t{64} << 30};

/// On which the constants of GPUs were fitted.
inline constexpr machine_description h200{.kind = device_set::cuda,
                                          .compute_capability = 90,
                                          .available_host_bytes = std::int64_t{64} << 30,
                                          .available_device_bytes = std::int64_t{140} << 30};

constexpr machine_description with_threads(machine_description machine, int threads) {
  machine.threads = threads;
  return machine;
}

constexpr machine_description with_level(machine_description machine, isa level) {
  machine.level = level;
  return machine;
}

}  // namespace gossamer::testing_support
