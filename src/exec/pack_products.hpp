// SPDX-License-Identifier: BSD-3-Clause
// Products by packs of columns on a GPU: how the columns of X and Y are divided into packs of 4, 2 and 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "exec/product.hpp"

namespace gossamer::inline v0::exec {

/// The products by `count` packs of one width, which one launch multiplies.
template <class S>
struct pack_products {
  product<S> first;
  std::int64_t x_next = 0;  ///< elements from one pack to the next
  std::int64_t y_next = 0;
  unsigned count = 0;
};

/// What a kernel computes: a product by one vector, or by packs.
template <class S>
using products_of = std::conditional_t<is_pack<vector_t<S>>, pack_products<S>, product<S>>;

/// Whether packs of `Width` columns are contiguous and aligned in each row of X and Y.
template <int Width, class S>
bool has_aligned_packs(const columns_product<S>& p) {
  if (Width == 1) return true;
  constexpr std::uintptr_t alignment = alignof(vector_t<device_pack_scalars<matrix_t<S>, Width>>);
  const auto fits = [](const vector_t<S>* data, std::int64_t step, std::int64_t next) {
    return next == 1 && reinterpret_cast<std::uintptr_t>(data) % alignment == 0 &&
           static_cast<std::uintptr_t>(step) * sizeof(vector_t<S>) % alignment == 0;
  };
  return fits(p.x, p.x_step, p.x_next) && fits(p.y, p.y_step, p.y_next);
}

/// All columns of `p`, in packs. Their number is a multiple of Width.
template <int Width, class S>
pack_products<device_pack_scalars<matrix_t<S>, Width>> in_packs(const columns_product<S>& p) {
  return {.first = {.alpha = p.alpha, .x = {p.x, p.x_step}, .beta = p.beta, .y = {p.y, p.y_step}},
          .x_next = Width * p.x_next,
          .y_next = Width * p.y_next,
          .count = static_cast<unsigned>(p.columns / Width)};
}

/// launch(products, first) for each width that takes columns, wider ones first; `first` is the number of
/// their first column, a multiple of the width. Packs of one column take every layout. Packs have at most
/// `widest` columns, but at least one.
template <class S, class Launch>
void divide_into_packs(const columns_product<S>& p, Launch&& launch, int widest = 4) {
  static_assert(std::is_same_v<vector_t<S>, matrix_t<S>> && std::is_same_v<sum_t<S>, matrix_t<S>>);
  std::int64_t first = 0;
  const auto take = [&]<int Width>() {
    if (Width > std::max(1, widest)) return;
    const std::int64_t columns = (p.columns - first) / Width * Width;
    const columns_product<S> some = p.from(first, columns);
    if (columns == 0 || !has_aligned_packs<Width>(some)) return;
    launch(in_packs<Width>(some), first);
    first += columns;
  };
  take.template operator()<4>();
  take.template operator()<2>();
  take.template operator()<1>();
}

}  // namespace gossamer::inline v0::exec
