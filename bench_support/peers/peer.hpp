// SPDX-License-Identifier: BSD-3-Clause
// What a peer is behind the public class: a way to look for it, a way to prepare a matrix, one virtual call a
// product.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench_support/peers/peers.hpp"
#include "core/fail.hpp"
#include "exec/target.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::bench_support {
namespace peers {

struct peer_facts {
  std::string_view name;
  resource where;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t columns = 1;
  bool transposed = false;
  bool several = false;
  double inspect_seconds = 0;
};

template <value V>
class peer_base {
 public:
  peer_base() = default;
  virtual ~peer_base() = default;
  peer_base(const peer_base&) = delete;
  peer_base& operator=(const peer_base&) = delete;

  /// x and y are host pointers, lengths and overlap are checked. Called for each column, or once for all if
  /// facts.several. Not called for a cuda peer.
  virtual void multiply_host(V alpha, const V* x, V beta, V* y) const;
  /// The same for device pointers. Not called for a cpu peer.
  virtual void multiply_device(V alpha, const V* x, V beta, V* y, cuda_stream stream) const;
  [[nodiscard]] virtual std::int64_t bytes() const noexcept = 0;
  [[nodiscard]] virtual std::string_view settings() const noexcept = 0;

  peer_facts facts;  ///< filled in by inspect_peer
};

}  // namespace peers

namespace peers {

/// The caller's matrix, with offsets as narrow as they can be: every peer is at its best, or only works, with
/// 32 bits.
template <value V>
struct matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  host_buffer<std::int32_t>
      row_ptr;  ///< empty where nnz needs 64 bits; borrowed where the caller's are int32
  host_buffer<std::int64_t> wide_row_ptr;  ///< then this, borrowed
  std::span<const std::int32_t> col;
  std::span<const V> val;

  [[nodiscard]] std::int64_t nnz() const noexcept { return static_cast<std::int64_t>(col.size()); }
  [[nodiscard]] bool wide() const noexcept { return row_ptr.empty(); }
  [[nodiscard]] std::int64_t row_begin(std::int64_t row) const noexcept {
    const auto i = static_cast<std::size_t>(row);
    return wide() ? wide_row_ptr[i] : row_ptr[i];
  }
};

template <value V>
using prepared = std::unique_ptr<peers::peer_base<V>>;

/// One line of the list. `target.threads` is never 0; the matrix is valid and has rows, columns and nonzeros.
/// `columns` are those of X and Y.
struct entry {
  peer_info info;
  peer_presence (*look)();
  prepared<float> (*prepare_f32)(matrix<float>&& a, const exec::target& target, std::int64_t columns);
  prepared<double> (*prepare_f64)(matrix<double>&& a, const exec::target& target, std::int64_t columns);
};

template <class... Args>
[[noreturn]] void refuse(std::string_view peer, std::string_view reason, const Args&... args) {
  fail(errc::unsupported, "unsupported: {}: {}", peer, message(reason, {message_argument(args)...}));
}

/// For peers whose offsets are 32-bit alone.
template <value V>
void require_narrow(std::string_view peer, const matrix<V>& a) {
  if (a.wide()) refuse(peer, "{} nonzeros need 64-bit offsets, which are not used with this peer", a.nnz());
}

}  // namespace peers
}  // namespace gossamer::bench_support
