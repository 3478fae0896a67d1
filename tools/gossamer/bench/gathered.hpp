// SPDX-License-Identifier: BSD-3-Clause
// A product's second half alone, where its first is to copy values of x beside the matrix's entries.
#pragma once

#include <memory>

#include "gossamer/plan.hpp"
#include "gossamer/timer.hpp"

namespace gossamer::cli {

/// y = A x with the x of `vectors`, which is gathered here, once. The call refers to `of`. Empty where its products
/// have no gather step. Throws what gathering throws.
template <value V>
product_call gathered_product(const plan<V>& of, product_vectors<V>& vectors, bool on_gpu) {
  if (!of.gathers()) return {};
  const auto room = std::make_shared<workspace>(of.make_workspace());
  if (on_gpu) {
    of.gather(vectors.device_x(), {}, *room);
    return [&of, room, y = vectors.device_y()](cuda_stream stream) {
      of.multiply_gathered(V{1}, V{0}, y, stream, *room);
    };
  }
  of.gather(vectors.x(), *room);
  return [&of, room, y = vectors.y()](cuda_stream) { of.multiply_gathered(V{1}, V{0}, y, *room); };
}

}  // namespace gossamer::cli
