// SPDX-License-Identifier: BSD-3-Clause
// Making a borrowed array the storage's own.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "core/parallel.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0::core {

/// Moves `from` to `to` where `to` refers to it.
template <class T, class From>
void take(host_buffer<T>& to, host_buffer<From>& from) {
  if constexpr (std::is_same_v<T, From>) {
    if (!to.owned() && std::as_const(to).data() == from.data() && to.size() == from.size())
      to = std::move(from);
  }
}

/// Replaces a borrowed buffer by an owned one: by the array of `reusable` (row_ptr, col and val; may be null)
/// that it refers to, else by a copy.
template <class T, class Owner>
void make_owned(host_buffer<T>& buffer, Owner* reusable) {
  if (reusable != nullptr) {
    take(buffer, reusable->row_ptr);
    take(buffer, reusable->col);
    take(buffer, reusable->val);
  }
  if (buffer.owned()) return;
  host_buffer<T> copy(buffer.size());
  core::parallel_for(static_cast<std::int64_t>(buffer.size()), core::default_grain,
                     [&](std::int64_t begin, std::int64_t end) {
                       std::copy(std::as_const(buffer).data() + begin, std::as_const(buffer).data() + end,
                                 copy.data() + begin);
                     });
  buffer = std::move(copy);
}

}  // namespace gossamer::inline v0::core
