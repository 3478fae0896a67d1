// SPDX-License-Identifier: BSD-3-Clause
// The sizes of caches, from what the system says of each processor.
#include "exec/cpu/cpu_cache.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

#include "core/fork.hpp"

namespace gossamer::inline v0::exec {
namespace {

/// A line of a file, empty where there is none.
std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// "36608K"; 0 for what is no size.
std::int64_t size_of(const std::string& text) {
  std::int64_t number = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && number < (std::int64_t{1} << 40); ++at)
    number = 10 * number + (text[at] - '0');
  const char unit = at < text.size() ? text[at] : ' ';
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

struct cache_level {
  int level = 0;
  std::int64_t bytes = 0;
  std::string shared_by;
};

/// That one, or the last where there are fewer.
cache_level level_of(int processor, int wanted) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/cache/index";
  cache_level highest;
  for (int index = 0;; ++index) {
    const std::string cache = folder + std::to_string(index) + "/";
    const std::string level = first_line(cache + "level");
    if (level.empty()) return highest;
    const cache_level found{.level = static_cast<int>(size_of(level)),
                            .bytes = size_of(first_line(cache + "size")),
                            .shared_by = first_line(cache + "shared_cpu_list")};
    if (found.level > highest.level && found.level <= wanted) highest = found;
  }
}

#if defined(__linux__)
/// Those that the calling thread may run on.
std::vector<int> processors() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof(mine), &mine) != 0) CPU_SET(0, &mine);
  std::vector<int> all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &mine)) all.push_back(processor);
  return all;
}
#endif

/// Each one's bytes, the largest first.
std::vector<std::int64_t> found_caches() {
  constexpr std::int64_t fallback = std::int64_t{32} << 20;
#if defined(__linux__)
  std::set<std::string> counted;
  std::vector<std::int64_t> bytes;
  for (const int processor : processors()) {
    const cache_level last = level_of(processor, std::numeric_limits<int>::max());
    if (last.bytes > 0 && counted.insert(last.shared_by).second) bytes.push_back(last.bytes);
  }
  std::sort(bytes.begin(), bytes.end(), std::greater<>());
  if (!bytes.empty()) return bytes;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  if (const long third = sysconf(_SC_LEVEL3_CACHE_SIZE); third > 0) return {third};
#endif
#endif
  return {fallback};
}

std::int64_t found_core_cache() {
  constexpr std::int64_t fallback = 1 << 20;
  constexpr int second = 2;
#if defined(__linux__)
  for (const int processor : processors())
    if (const cache_level found = level_of(processor, second); found.level == second && found.bytes > 0)
      return found.bytes;
#if defined(_SC_LEVEL2_CACHE_SIZE)
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) return bytes;
#endif
#endif
  return fallback;
}

}  // namespace

std::int64_t cpu_cache_bytes(int threads) {
  static constinit core::found_once<std::vector<std::int64_t>> once;
  const std::vector<std::int64_t>& known = once.get(found_caches);
  const auto all = static_cast<std::ptrdiff_t>(known.size());
  const std::ptrdiff_t some = threads == 0 ? all : std::min<std::ptrdiff_t>(all, threads);
  return std::accumulate(known.begin(), known.begin() + some, std::int64_t{0});
}

std::int64_t cpu_core_cache_bytes() {
  static constinit core::found_once<std::int64_t> once;
  return once.get(found_core_cache);
}

}  // namespace gossamer::inline v0::exec
