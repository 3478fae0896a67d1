// SPDX-License-Identifier: BSD-3-Clause
// Value and offset types, operations, and spans of device memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

/// Tag: arrays are in host memory.
struct host_space {};
/// Tag: arrays are in the memory of a CUDA device.
struct device_space {};

/// A view of `size` consecutive elements in the memory of a CUDA device. The caller owns the memory. Only
/// device code and CUDA's copy functions may read the elements.
template <class T>
class device_span {
 public:
  using element_type = T;  ///< type of the elements; const for read access only

  /// An empty span.
  constexpr device_span() noexcept = default;
  /// A view of `size` elements from `device_pointer` on. The memory must outlive the span.
  constexpr device_span(T* device_pointer, std::size_t size) noexcept : data_(device_pointer), size_(size) {}

  /// Converts a span of T to a span of const T.
  template <class U>
  requires std::is_same_v<const U, T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr device_span(device_span<U> other) noexcept : data_(other.data()), size_(other.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }  ///< device address of element 0
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }  ///< number of elements
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }   ///< whether size() is 0

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// std::span for host_space, device_span for device_space.
template <class T, class Space>
using span_in = std::conditional_t<std::is_same_v<Space, host_space>, std::span<T>, device_span<T>>;

/// Type of the values of A, x and y: float (f32) or double (f64).
template <class T>
concept value = std::same_as<T, float> || std::same_as<T, double>;

/// Type of the row offsets of a CSR matrix: int32 or int64. Column indices are always int32.
template <class T>
concept offset = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

/// Maximum number of rows or columns, 2^31 - 1, since column indices are int32.
inline constexpr std::int64_t max_dimension = 0x7fffffff;

/// One product. The transpose is not conjugated.
enum class operation : std::int32_t {
  forward,    ///< y = alpha A x + beta y
  transposed  ///< y = alpha A^T x + beta y
};
/// The products that a plan computes.
enum class operation_set : std::int32_t {
  forward,     ///< A x
  transposed,  ///< A^T x
  both         ///< A x and A^T x
};

/// The enumerator's name, for example "forward". Throws invalid_argument for another value.
GOSSAMER_API std::string_view name(operation product);
/// The enumerator's name, for example "both". Throws invalid_argument for another value.
GOSSAMER_API std::string_view name(operation_set operations);
/// Parses "forward" or "transposed". Throws invalid_argument for another text; the message lists the words.
GOSSAMER_API operation parse_operation(std::string_view text);
/// Parses "forward", "transposed" or "both". Throws invalid_argument for another text; the message lists the
/// words.
GOSSAMER_API operation_set parse_operations(std::string_view text);

/// Whether inspect() looks for a symmetric matrix (inspect_options::symmetric).
enum class symmetry : std::int32_t {
  unknown,  ///< a matrix and its transpose are stored separately
  check     ///< the matrix is compared with its transpose; if both are equal, only the matrix is stored
};

/// "f32" for float, "f64" for double.
template <value V>
constexpr std::string_view value_name() {
  return sizeof(V) == 4 ? "f32" : "f64";
}

/// "int32" or "int64".
template <offset O>
constexpr std::string_view offset_name() {
  return sizeof(O) == 4 ? "int32" : "int64";
}

}  // namespace gossamer::inline v0
