// SPDX-License-Identifier: BSD-3-Clause
// Products of other libraries behind one interface, for comparisons. Libraries are loaded at first use.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gossamer/formats.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/resource.hpp"

namespace gossamer::bench_support {

/// One algorithm of one library, for example "cusparse_csr_alg1". docs/guides/peers.md says what each is
/// asked for.
struct peer_info {
  std::string_view name;     ///< as on the command line: cusparse_csr_alg1, mkl, eigen, librsb, …
  std::string_view library;  ///< as its makers write it
  device_set devices = device_set::none;
  std::string_view help;
  /// Its product is y = alpha A^T x + beta y, from A as it is given.
  bool transposed = false;
  /// How X and Y lie in memory if there are several vectors, their columns.
  layout order = layout::column_major;
  /// It multiplies all columns in one call, and is not compared with others for one column. Without this, it
  /// multiplies column by column.
  bool several = false;
  /// In f32, its additions may take subnormal numbers for zero.
  bool flushes_f32 = false;

  template <value V>
  [[nodiscard]] constexpr bool flushes() const noexcept {
    return flushes_f32 && sizeof(V) == sizeof(float);
  }
};

/// Every peer that this build knows of, present here or not, in the order of
/// bench_support/peers/all_peers.hpp.
std::span<const peer_info> list_peers();

/// Throws invalid_argument that lists the names there are.
const peer_info& find_peer(std::string_view name);

/// Whether a peer can be used here.
struct peer_presence {
  bool present = false;
  std::string version;  ///< of the library, as it reports itself
  std::string reason;   ///< one line that says what is missing and how it is found, where absent
};

/// Loads the peer's library and looks up what is needed of it; once loaded, it stays. A peer that is absent
/// is looked for again at the next call. Throws invalid_argument for a name that is none, and nothing for a
/// peer that is absent.
peer_presence find_peer_here(std::string_view name);

namespace peers {
template <value V>
class peer_base;
}  // namespace peers

/// A matrix prepared once in another library: its conversion, analysis and preprocessing lie behind, as a
/// plan's inspect does. y = alpha A x + beta y then holds everything that a product needs: the library's
/// number of threads, its stream and its vectors are set inside the call. Where beta == 0, y is never read.
///
/// Vectors: x has cols() and y has rows() elements, or the reverse of a transposed peer, else size_mismatch.
/// Prepared for several columns, x and y have as many times the elements: they are X and Y in the layout
/// peer_info::order, without gaps. They must not share memory, else overlap; host vectors given to a cuda
/// peer, or the reverse, are unsupported. A product that the library itself refuses throws unsupported with
/// the library's own word for it.
///
/// One product at a time: several may exist, each may be used from any thread, but not by two at once.
/// Movable, not copyable; a moved-from one may only be assigned to or destroyed.
template <value V>
class peer_product {
 public:
  explicit peer_product(std::unique_ptr<peers::peer_base<V>> base) noexcept;
  peer_product(peer_product&&) noexcept;
  peer_product& operator=(peer_product&&) noexcept;
  ~peer_product();

  /// On vectors in host memory, for a cpu peer; returns when done.
  void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const;
  /// On vectors in device memory, for a cuda peer; asynchronous in `stream`.
  void multiply(V alpha, device_span<const V> x, V beta, device_span<V> y, cuda_stream stream) const;

  [[nodiscard]] std::int64_t rows() const noexcept;
  [[nodiscard]] std::int64_t cols() const noexcept;
  [[nodiscard]] std::int64_t nnz() const noexcept;
  [[nodiscard]] std::int64_t columns() const noexcept;  ///< of X and Y
  /// Memory for A, including buffers and borrowed arrays. 0 if the library does not report it (MKL).
  [[nodiscard]] std::int64_t bytes() const noexcept;
  /// Wall-clock seconds of conversion, upload, analysis, preprocessing and tuning; loading the library is not
  /// in it.
  [[nodiscard]] double inspect_seconds() const noexcept;
  [[nodiscard]] std::string_view name() const noexcept;
  /// What was asked of it or chosen for this matrix, for example "calls=1000" or "block=3 fill=1.02".
  [[nodiscard]] std::string_view settings() const noexcept;
  [[nodiscard]] const resource& where() const noexcept;

 private:
  std::unique_ptr<peers::peer_base<V>> base_;
};

/// Validates and prepares the matrix. `a` must outlive the product (a cpu peer may refer to its arrays).
/// `columns`: of X and Y, from 1 to 2^31 - 1. Throws invalid_argument for an unknown name and for other
/// `columns`, invalid_matrix, no_device, out_of_memory, device_error, and unsupported ("unsupported: PEER:
/// reason") where the peer is absent, does not run on that resource, or cannot take the matrix; one without
/// rows, columns or nonzeros is given to no peer.
template <value V, offset O>
peer_product<V> inspect_peer(std::string_view name, const csr_view<V, O>& a, const resource& where,
                             std::int64_t columns = 1);

}  // namespace gossamer::bench_support
