// SPDX-License-Identifier: BSD-3-Clause
// One product alone is a comparison of one.
#include "core/out_of_memory.hpp"
#include "gossamer/compare.hpp"
#include "gossamer/measure.hpp"

namespace gossamer::inline v0 {
namespace {

timing time_alone(const product_call& product, const resource& where, double seconds) {
  const interleaving how{.seconds = seconds, .rounds = 3};
  return summarise(time_interleaved({&product, 1}, where, how).seconds.front());
}

}  // namespace

timing time_repeatedly(const std::function<void()>& once, double seconds) {
  if (!once) fail(errc::invalid_argument, "time_repeatedly: the function is empty");
  return naming_out_of_memory("time_repeatedly",
                              [&] { return time_alone([&once](cuda_stream) { once(); }, cpu{}, seconds); });
}

template <value V>
timing time_products(const plan<V>& plan, double seconds) {
  return naming_out_of_memory("time_products", [&] {
    product_vectors<V> vectors(plan.rows(), plan.cols(), plan.where());
    return time_alone(vectors.call(plan), plan.where(), seconds);
  });
}

template GOSSAMER_API timing time_products(const plan<float>&, double);
template GOSSAMER_API timing time_products(const plan<double>&, double);

}  // namespace gossamer::inline v0
