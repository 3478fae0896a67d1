// SPDX-License-Identifier: BSD-3-Clause
// Value and offset types, and spans of device memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "gossamer/export.hpp"

namespace gossamer::inline v0 {

struct host_space {};
struct device_space {};

/// `size` consecutive elements in the memory of a CUDA device. It owns nothing and cannot be read on the
/// host.
template <class T>
class device_span {
 public:
  using element_type = T;

  constexpr device_span() noexcept = default;
  constexpr device_span(T* device_pointer, std::size_t size) noexcept : data_(device_pointer), size_(size) {}

  /// From a span of the same elements without const.
  template <class U>
  requires std::is_same_v<const U, T>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr device_span(device_span<U> other) noexcept : data_(other.data()), size_(other.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// std::span in host space, device_span in device space.
template <class T, class Space>
using span_in = std::conditional_t<std::is_same_v<Space, host_space>, std::span<T>, device_span<T>>;

/// Values of A, x and y: f32 or f64.
template <class T>
concept value = std::same_as<T, float> || std::same_as<T, double>;

/// Row offsets: int32 or int64. Columns are always int32.
template <class T>
concept offset = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t>;

/// The largest number of rows or columns: indices are int32.
inline constexpr std::int64_t max_dimension = 0x7fffffff;

/// One product: A x (forward), or A^T x (transposed), without conjugation.
enum class operation : std::int32_t { forward, transposed };
/// The products that a plan computes.
enum class operation_set : std::int32_t { forward, transposed, both };

/// The word as it is written above. Throws invalid_argument for a value that is none of them.
GOSSAMER_API std::string_view name(operation product);
GOSSAMER_API std::string_view name(operation_set operations);
/// The reverse of name(). Throws invalid_argument that lists the words.
GOSSAMER_API operation parse_operation(std::string_view text);
GOSSAMER_API operation_set parse_operations(std::string_view text);

/// unknown: a matrix and its transpose are stored separately. check: they are compared first.
enum class symmetry : std::int32_t { unknown, check };

template <value V>
constexpr std::string_view value_name() {
  return sizeof(V) == 4 ? "f32" : "f64";
}

template <offset O>
constexpr std::string_view offset_name() {
  return sizeof(O) == 4 ? "int32" : "int64";
}

}  // namespace gossamer::inline v0
