// SPDX-License-Identifier: BSD-3-Clause
// Members that most formats have in common.
#pragma once

#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

/// Base of a format whose storage is Storage, for any type of offsets, with Pointers as its view. The
/// format's own members hide these.
template <template <class, template <class> class> class Storage, template <class> class Pointers>
struct stored_as {
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};

  template <class T, offset O, template <class> class Buffer>
  using storage = Storage<T, Buffer>;

  template <scalar_types S>
  static std::int64_t scratch(const Pointers<matrix_t<S>>&) {
    return 0;
  }
};

}  // namespace gossamer::inline v0::formats
