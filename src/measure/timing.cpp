// SPDX-License-Identifier: BSD-3-Clause
// One product alone is a comparison of one.
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
  return time_alone([&once](cuda_stream) { once(); }, cpu{}, seconds);
}

template <value V>
timing time_products(const plan<V>& plan, double seconds) {
  product_vectors<V> vectors(plan.rows(), plan.cols(), plan.where());
  return time_alone(vectors.call(plan), plan.where(), seconds);
}

template GOSSAMER_API timing time_products(const plan<float>&, double);
template GOSSAMER_API timing time_products(const plan<double>&, double);

}  // namespace gossamer::inline v0
