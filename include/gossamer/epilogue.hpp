// SPDX-License-Identifier: BSD-3-Clause
// Epilogues: what a product does with each row before it writes y, so that a solver needs no further pass
// over its vectors.
#pragma once

#include <array>

#include "gossamer/types.hpp"

namespace gossamer::inline v0 {

/// A dot product that is computed with a product: the sum of y_i with_i over all rows i.
///
/// It is summed in double, by a fixed tree. So a repeated product gives the same bits, for any number of
/// threads. The tree depends on the format: another format may give other bits.
template <class V, class Space = host_space>
struct dot_product {
  span_in<const V, Space> with = {};   ///< as many elements as y; x and y are allowed
  span_in<double, Space> result = {};  ///< one element, which receives the sum; empty: no dot product
};

/// Bounds of the elements of y. They are read even if their factor is 0.
///
/// A negative factor exchanges the bounds: to bound y_i to [-2 b_i, -2 a_i], pass lower = b, upper = a and
/// factor = -2. If the lower bound of an element is larger, the element becomes the upper bound.
template <class V, class Space = host_space>
struct bounds {
  span_in<const V, Space> lower = {};  ///< as many elements as y; empty: no lower bounds
  span_in<const V, Space> upper = {};  ///< as many elements as y; empty: no upper bounds
  V factor = 1;                        ///< the bounds are factor lower_i and factor upper_i
  bool outside = false;                ///< true: y_i is the part of t outside the bounds, see epilogue
};

/// A second vector that a product writes: out_i = y_factor y_i + add_factor add_i.
template <class V, class Space = host_space>
struct second_output {
  span_in<V, Space> out = {};        ///< as many elements as y; empty: no second vector
  V y_factor = 1;                    ///< factor of y_i
  span_in<const V, Space> add = {};  ///< as many elements as y; empty: nothing is added
  V add_factor = 1;                  ///< factor of add_i
};

/// Factors that are read from the memory of the vectors when the product runs. A captured CUDA graph reads
/// them in each launch.
template <class V, class Space = host_space>
struct factors {
  span_in<const V, Space> alpha = {};   ///< one number instead of the argument alpha; empty: alpha
  span_in<const V, Space> beta = {};    ///< one number instead of the argument beta; empty: beta
  span_in<const V, Space> gamma = {};   ///< one number instead of epilogue::gamma; empty: gamma
  span_in<const V, Space> bounds = {};  ///< one number instead of bounds::factor; empty: that factor
};

/// What a product computes instead of y = alpha A x + beta y. For each row i, in this order:
///
///     t     = alpha (A x)_i + beta z_i
///     t     = scale_i t + gamma u_i
///     v     = min(max(t, f lower_i), f upper_i), with f = bounds.factor
///     y_i   = v, or t - v if bounds.outside is true
///     out_i = y_factor y_i + add_factor add_i
///     dots  : the sums of y_i with_i
///
/// Parts that are empty are left out: z is then y, scale_i is 1, u is 0. Without bounds, y_i is t. NaNs in t
/// are kept, and a bound that is NaN has no effect.
///
/// If a factor is 0, its vector has no effect, NaNs included. If this factor is an argument or a member, the
/// vector is not read. If it is in memory, the vector may be read. Both hold for x (alpha), z (beta), u
/// (gamma) and add (add_factor).
///
/// @code
/// // r = b - A x, and the square of its norm
/// const gossamer::epilogue<double> residual{.z = b, .dots = {{{.with = r, .result = norm}}}};
/// plan.multiply(-1.0, x, 1.0, r, residual);
/// @endcode
///
/// @par Vectors
/// Space is the memory of all vectors: host_space for host vectors, device_space for device vectors. Vectors
/// that are read may be y, x or `out`; each element is read before it is written. Only `out`, y and x must
/// not share memory with each other. Results of dot products must not share memory with anything else, and
/// factors in memory must not be elements of y or `out`.
///
/// @par Errors
/// The product throws size_mismatch for a vector of another length, overlap for vectors that share memory in
/// other ways, and invalid_argument if a dot product has a vector and no result. It does not check whether
/// results and factors overlap other memory.
///
/// @par Asynchrony
/// The same as without an epilogue: with device vectors, the product is asynchronous in its stream. Factors
/// in memory are read, and results of dot products are written, in the order of the stream.
///
/// @par Where it is fused
/// On a GPU, packed and csr finish rows in the kernel of the product. A second kernel adds the dot products:
/// of packed from partial sums, of csr from the vectors. If there are dot products and few long rows, packed
/// finishes the rows in the second kernel, too. On a CPU, csr, pattern_csr and packed finish rows
/// while they are in the cache. Other formats, hybrid plans and reordered plans make a pass over the vectors
/// after the product. So do CPU plans whose epilogue reads the old y other than as z, and packed on a CPU if
/// its work units share rows.
template <class V, class Space = host_space>
struct epilogue {
  span_in<const V, Space> z = {};                  ///< as many elements as y; empty: y
  span_in<const V, Space> scale = {};              ///< as many elements as y; empty: no scaling
  V gamma = 1;                                     ///< factor of u
  span_in<const V, Space> u = {};                  ///< as many elements as y; empty: nothing is added
  gossamer::bounds<V, Space> bounds = {};          ///< bounds of y
  second_output<V, Space> second = {};             ///< a second vector that is written
  std::array<dot_product<V, Space>, 2> dots = {};  ///< up to two dot products with y
  factors<V, Space> from_memory = {};              ///< factors that are read when the product runs
};

}  // namespace gossamer::inline v0
