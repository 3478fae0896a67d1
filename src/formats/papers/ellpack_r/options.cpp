// SPDX-License-Identifier: BSD-3-Clause
// How many threads a row of a matrix asks for.
#include "formats/papers/ellpack_r/format.hpp"

namespace gossamer::inline v0::formats {
namespace {

/// With one thread a row, whole columns of the table are read in order, which nothing betters while there are
/// rows enough to fill the device. Where there are not, more threads share a row, as long as each still has
/// two entries to overlap.
ellpack_r_threads automatic_threads(const row_statistics& s) {
  constexpr std::int64_t resident_threads =
      132 * 2048;  // of a current device: multiprocessors, and what each holds
  auto threads = ellpack_r_threads::one;
  const auto more = [&] { return static_cast<ellpack_r_threads>(static_cast<std::int32_t>(threads) + 1); };
  while (threads != ellpack_r_threads::thirty_two && s.rows * number_of(threads) < resident_threads &&
         static_cast<double>(2 * number_of(more())) <= s.mean)
    threads = more();
  return threads;
}

}  // namespace

ellpack_r::options ellpack_r::resolve(options o, const row_statistics& s, const exec::target& target) {
  if (target.kind == device_set::cpu)
    o.threads_per_row = ellpack_r_threads::one;
  else if (o.threads_per_row == ellpack_r_threads::automatic)
    o.threads_per_row = automatic_threads(s);
  return o;
}

std::vector<ellpack_r::options> ellpack_r::candidates(const row_statistics&, const exec::target& target) {
  if (target.kind == device_set::cpu) return {options{}};
  std::vector<options> all;
  for (auto t = ellpack_r_threads::one;;
       t = static_cast<ellpack_r_threads>(static_cast<std::int32_t>(t) + 1)) {
    all.push_back({.threads_per_row = t});
    if (t == ellpack_r_threads::thirty_two) return all;
  }
}

}  // namespace gossamer::inline v0::formats
