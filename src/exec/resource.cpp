// SPDX-License-Identifier: BSD-3-Clause
// Names of resources and instruction sets, and which of the latter this CPU runs.
#include "gossamer/resource.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0 {
namespace {

struct named_isa {
  isa level;
  std::string_view name;
};
constexpr std::array levels{named_isa{isa::automatic, "auto"}, named_isa{isa::baseline, "baseline"},
                            named_isa{isa::avx2, "avx2"}, named_isa{isa::avx512, "avx512"}};

}  // namespace

int thread_count(const cpu& where) noexcept {
  return core::team_size(where.threads);
}

std::string_view name(isa level) noexcept {
  for (const named_isa& each : levels) {
    if (each.level == level) return each.name;
  }
  return "unknown";
}

isa parse_isa(std::string_view text) {
  for (const named_isa& each : levels) {
    if (each.name == text) return each.level;
  }
  fail(errc::invalid_argument, "isa = \"{}\" is not one of auto, baseline, avx2, avx512", text);
}

bool runs_here(isa level) noexcept {
#if defined(__x86_64__)
  // The compiler's run-time check looks at CPUID and at XGETBV, so an OS that does not save the registers
  // counts.
  switch (level) {
    case isa::automatic:
    case isa::baseline:
      return true;
    case isa::avx2:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case isa::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             runs_here(isa::avx2);
  }
  return false;
#else
  return level == isa::automatic || level == isa::baseline;
#endif
}

isa automatic_isa() {
  if (const char* forced = std::getenv("GOSSAMER_ISA"); forced != nullptr && *forced != '\0') {
    isa level = isa::automatic;
    try {
      level = parse_isa(forced);
    } catch (const error&) {
      fail(errc::invalid_argument, "GOSSAMER_ISA = \"{}\" is not one of auto, baseline, avx2, avx512",
           forced);
    }
    if (!runs_here(level)) fail(errc::unsupported, "GOSSAMER_ISA = \"{}\": this CPU does not run it", forced);
    if (level != isa::automatic) return level;
  }
  if (runs_here(isa::avx512)) return isa::avx512;
  if (runs_here(isa::avx2)) return isa::avx2;
  return isa::baseline;
}

resource parse_resource(std::string_view text) {
  if (text == "cpu") return cpu{};
  if (text == "cuda") return cuda{};
  constexpr std::string_view prefix = "cuda:";
  if (text.substr(0, prefix.size()) == prefix) {
    cuda where;
    const char* begin = text.data() + prefix.size();
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(begin, end, where.device);
    if (code == std::errc{} && stop == end && where.device >= 0) return where;
  }
  fail(errc::invalid_argument, "device = \"{}\" is neither cpu nor cuda:N", text);
}

std::string name(const resource& where) {
  if (const auto* gpu = std::get_if<cuda>(&where)) return "cuda:" + std::to_string(gpu->device);
  return "cpu";
}

std::string cpu_model() {
  return naming_out_of_memory("cpu_model", [&]() -> std::string {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
      if (line.rfind("model name", 0) != 0) continue;
      const auto colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
  });
}

}  // namespace gossamer::inline v0
