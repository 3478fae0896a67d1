// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <fstream>
#include <string>

#include "core/out_of_memory.hpp"
#include "exec/cuda/device.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0 {
namespace {

std::int64_t number_in(const char* file) {
  std::ifstream in(file);
  std::int64_t number = -1;  // also for "max": no limit
  return in >> number ? number : -1;
}

std::int64_t system_available() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  while (in >> word) {
    std::int64_t kilobytes = 0;
    if (word == "MemAvailable:" && in >> kilobytes) return kilobytes << 10;
  }
  return unknown_memory;
}

std::int64_t group_available() {
  const std::int64_t most = number_in("/sys/fs/cgroup/memory.max");
  const std::int64_t used = number_in("/sys/fs/cgroup/memory.current");
  return most < 0 || used < 0 ? unknown_memory : std::max<std::int64_t>(0, most - used);
}

}  // namespace

std::int64_t available_memory(const resource& where) {
  return naming_out_of_memory("available_memory", [&] {
    const auto* gpu = std::get_if<cuda>(&where);
    if (gpu == nullptr) return std::min(system_available(), group_available());
    return gpu->device < cuda_device_count() ? exec::free_device_bytes(gpu->device) : unknown_memory;
  });
}

}  // namespace gossamer::inline v0
