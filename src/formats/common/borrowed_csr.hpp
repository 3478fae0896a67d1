// SPDX-License-Identifier: BSD-3-Clause
// What formats share that keep the caller's CSR arrays and store what they need beside them.
#pragma once

#include <cstdint>

#include "formats/contract/format.hpp"

namespace gossamer::inline v0::formats {

/// A copy of the CSR arrays that a storage keeps.
template <value V, offset O, class Storage>
csr_matrix<V, std::int64_t> kept_rows(const Storage& stored) {
  return copy<V, std::int64_t, O>({.rows = stored.meta.rows,
                                   .cols = stored.meta.cols,
                                   .row_ptr = stored.row_ptr.span(),
                                   .col = stored.col.span(),
                                   .val = stored.val.span()});
}

/// Members of such a format; the format's own members hide them.
template <template <class, offset, template <class> class> class Storage,
          template <class, offset> class Pointers>
struct borrowed_csr {
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};

  template <class T, offset O, template <class> class Buffer>
  using storage = Storage<T, O, Buffer>;

  template <value V, offset O>
  static csr_matrix<V, std::int64_t> to_csr(const Storage<V, O, host_buffer>& stored) {
    return kept_rows<V, O>(stored);
  }

  template <scalar_types S, offset O>
  static std::int64_t scratch(const Pointers<matrix_t<S>, O>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries);
  }
};

template <class Storage, class T, offset O>
void borrow_arrays(Storage& s, const csr_view<T, O>& a) {
  s.row_ptr = host_buffer<O>::borrow(a.row_ptr);
  s.col = host_buffer<std::int32_t>::borrow(a.col);
  s.val = host_buffer<T>::borrow(a.val);
}

/// Of the three arrays.
template <class V, offset O>
constexpr std::int64_t csr_bytes(const row_statistics& s) {
  return (s.rows + 1) * static_cast<std::int64_t>(sizeof(O)) +
         s.nnz * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t));
}

}  // namespace gossamer::inline v0::formats
