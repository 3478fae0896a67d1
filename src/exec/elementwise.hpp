// SPDX-License-Identifier: BSD-3-Clause
// Loops over one vector that every format needs: y = beta y, values refreshed through a map, and offsets as
// int64.
#pragma once

#include <cstdint>

#include "core/scalars.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::inline v0::exec {

/// y = beta y; y is not read where beta is 0.
template <class S>
void scale(vector_t<S>* y, std::int64_t size, sum_t<S> beta, int threads);
template <class S>
void scale_on_device(vector_t<S>* y, std::int64_t size, sum_t<S> beta, cuda_stream stream);

/// to[slot] = from[map[slot]], or 0 where map[slot] is -1 (padding).
template <class V>
void gather_values(V* to, const std::int64_t* map, std::int64_t size, const V* from);
template <class V>
void gather_values_on_device(V* to, const std::int64_t* map, std::int64_t size, const V* from,
                             cuda_stream stream);

/// to[i] = from[i]
template <class O>
void widen_on_device(std::int64_t* to, const O* from, std::int64_t size, cuda_stream stream);

}  // namespace gossamer::inline v0::exec
