// SPDX-License-Identifier: BSD-3-Clause
// What --device and --threads may be, and what this machine has.
#include "resource_argument.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "usage_error.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace gossamer::cli {
namespace {

int usable_cpus() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

void resource_argument::add_device_to(CLI::App& command) {
  command.add_option("--device", device, "cpu or cuda:N")->capture_default_str()->type_name("DEVICE");
}

void resource_argument::add_threads_to(CLI::App& command) {
  command.add_option("--threads", threads, "Threads of the cpu (default: all)")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
}

resource resource_argument::planned() const {
  if (device == "hybrid") fail_usage("--device hybrid is not supported by this version; give cpu or cuda:N");
  resource where = parse_resource(device);
  static_cast<void>(automatic_isa());
  if (auto* host = std::get_if<cpu>(&where)) host->threads = threads;
  return where;
}

resource resource_argument::present() const {
  resource where = planned();
  if (const auto* gpu = std::get_if<cuda>(&where)) static_cast<void>(cuda_properties(gpu->device));
  return where;
}

int threads_of(const resource_argument& argument) {
  if (argument.threads > 0) return argument.threads;
  const char* environment = std::getenv("OMP_NUM_THREADS");
  const int asked = environment == nullptr ? 0 : std::atoi(environment);
  return asked > 0 ? asked : usable_cpus();
}

}  // namespace gossamer::cli
