// SPDX-License-Identifier: BSD-3-Clause
// What a gossamer_matrix holds: a view of CSR arrays of any types in host or device memory, and the arrays
// that it owns.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>

#include "gossamer/gossamer.h"
#include "gossamer/matrix.hpp"

namespace gossamer::inline v0::capi {

using any_view =
    std::variant<csr_view<float, std::int32_t>, csr_view<float, std::int64_t>, csr_view<double, std::int32_t>,
                 csr_view<double, std::int64_t>, csr_view<float, std::int32_t, device_space>,
                 csr_view<float, std::int64_t, device_space>, csr_view<double, std::int32_t, device_space>,
                 csr_view<double, std::int64_t, device_space>>;

struct any_matrix {
  any_view view;                ///< of the matrix, or of its transpose
  bool is_transposed = false;   ///< the view is of the transpose, as CSC arrays are
  int device = 0;               ///< of arrays in device memory
  std::shared_ptr<void> owned;  ///< arrays of the view that are not the caller's
};

template <class V, class O, class Space>
constexpr bool is_on_device(const csr_view<V, O, Space>&) {
  return std::is_same_v<Space, device_space>;
}

/// Takes over arrays in host memory.
template <class V, class O>
any_matrix owning(csr_matrix<V, O>&& from) {
  auto kept = std::make_shared<csr_matrix<V, O>>(std::move(from));
  const csr_view<V, O> view = kept->view();
  return {.view = view, .is_transposed = false, .device = 0, .owned = std::move(kept)};
}

}  // namespace gossamer::inline v0::capi

struct gossamer_matrix {
  gossamer::capi::any_matrix any;
};
