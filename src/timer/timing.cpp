// SPDX-License-Identifier: BSD-3-Clause
// One product alone is a comparison of one.
#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::inline v0 {

timing time_product(const product_call& product, const resource& where, double seconds) {
  return naming_out_of_memory("time_product", [&] {
    const interleaving how{.seconds = seconds, .rounds = 3};
    return summarise(time_interleaved({&product, 1}, where, how).seconds.front());
  });
}

timing time_repeatedly(const std::function<void()>& once, double seconds) {
  if (!once) fail(errc::invalid_argument, "time_repeatedly: the function is empty");
  return naming_out_of_memory("time_repeatedly",
                              [&] { return time_product([&once](cuda_stream) { once(); }, cpu{}, seconds); });
}

}  // namespace gossamer::inline v0
