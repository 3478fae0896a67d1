// SPDX-License-Identifier: BSD-3-Clause
// How kernels of CSR rows on a CPU read entries and x (included by csr_rows.inl, for each instruction set). A
// Matrix is a format's view that has row_ptr, col and val, and in meta a csr_reading.
#include "formats/common/finished_rows.inl"

namespace gossamer::inline v0::formats::csr_rows::GOSSAMER_ISA {

using finished_rows::GOSSAMER_ISA::finish_rows;
using simd::GOSSAMER_ISA::short_vec;
using simd::GOSSAMER_ISA::vec;

/// Bytes by which entries are prefetched, where the part of the matrix that one thread reads does not
/// stay in its core's cache. The hardware's own prefetcher stops at each 4 KiB page, and rows that need
/// little work catch up with it.
constexpr std::int64_t row_prefetch_bytes = 2048;
constexpr std::int64_t tile_prefetch_bytes = 8192;
constexpr std::int64_t tiles_stay_in_cache = 2 << 20;
constexpr std::int64_t slices_stay_in_cache = 4 << 20;
/// By how many entries x is prefetched, where it is loaded one by one: gathers took longer with it.
constexpr std::int64_t x_prefetch_distance = 128;

/// Asks for the cache lines that lie `ahead` bytes after [p, p + count). They may lie outside of the array:
/// nothing is read. Locality: 3 into the first-level cache, 2 into the second.
template <int Locality, class T>
[[gnu::always_inline]] inline void prefetch(const T* p, std::int64_t count, std::int64_t ahead) {
  constexpr std::int64_t line = 64;
  const auto address = reinterpret_cast<std::uintptr_t>(p) + static_cast<std::uintptr_t>(ahead);
  // As a number: what lies beyond an array is no pointer. NOLINTBEGIN(performance-no-int-to-ptr)
  for (std::int64_t b = 0; b < count * static_cast<std::int64_t>(sizeof(T)); b += line)
    __builtin_prefetch(reinterpret_cast<const void*>(address + static_cast<std::uintptr_t>(b)), 0, Locality);
  // NOLINTEND(performance-no-int-to-ptr)
}

/// The columns run ahead as many entries as the values do.
template <class V>
inline void prefetch_entries(const V* val, const std::int32_t* col, std::int64_t count) {
  constexpr std::int64_t column_prefetch_bytes =
      row_prefetch_bytes / static_cast<std::int64_t>(sizeof(V) / sizeof(std::int32_t));
  prefetch<3>(val, count, row_prefetch_bytes);
  prefetch<3>(col, count, column_prefetch_bytes);
}

/// What is worth prefetching.
struct prefetch_policy {
  bool rows = false;
  /// Tiles are long stretches in order, which the hardware's prefetcher follows unless they come from memory;
  /// of rows of many entries that holds of AMD's processors alone.
  bool long_rows = false;
  bool tiles = false;
  bool slices =
      false;  ///< need less work for an entry than a row alone, and more loads of theirs are under way
  const std::int32_t* x_until = nullptr;  ///< x, by columns before this one; null: x stays in near caches
  /// The same of rows alone, whose loads are under way together; null also where entries near each
  /// other share x.
  const std::int32_t* x_of_rows_until = nullptr;
};

/// The same of a matrix. By what a thread multiplies in all: a call may be for any part of that.
template <bool Gathers, class S, class Matrix>
inline prefetch_policy choose_prefetch(const Matrix& a) {
  constexpr std::int64_t entry_bytes = sizeof(matrix_t<S>) + sizeof(std::int32_t);
  const bool is_long = a.meta.nnz * entry_bytes >= exec::long_bytes;
  const std::int64_t entries = is_long ? a.meta.nnz : a.meta.reading.entries_a_thread;
  const std::int64_t x_bytes = a.meta.cols * static_cast<std::int64_t>(sizeof(vector_t<S>));
  const std::int32_t* const behind_last = a.col + a.row_ptr[a.meta.rows];
  return {.rows = entries * entry_bytes > stays_in_cache,
          .long_rows = (Gathers || a.meta.reading.beyond_cache) && entries * entry_bytes > stays_in_cache,
          .tiles = a.meta.reading.beyond_cache &&
                   entries * static_cast<std::int64_t>(sizeof(matrix_t<S>)) > tiles_stay_in_cache,
          .slices = entries * entry_bytes > slices_stay_in_cache,
          .x_until = x_bytes > x_stays_near ? behind_last : nullptr,
          .x_of_rows_until = a.meta.reading.x_scattered ? behind_last : nullptr};
}

/// How x is read at columns that do not follow each other: by the gather instruction where that is fast
/// (exec/cpu/cpu_features.hpp), else one by one, where x[0] may be read too.
template <bool Gathers>
struct x_reader {
  template <class Lanes, class V>
  [[nodiscard, gnu::always_inline]] static Lanes all(const V* x, const std::int32_t* col) {
    if constexpr (Gathers)
      return Lanes::gather(x, col);
    else
      return Lanes::gather_each(x, col);
  }
  template <class Lanes, class V>
  [[nodiscard, gnu::always_inline]] static Lanes first(const V* x, const std::int32_t* col, int n) {
    if constexpr (Gathers)
      return Lanes::gather_first(x, col, n);
    else
      return Lanes::gather_first_each(x, col, n);
  }
  /// Packs are read where they are multiplied.
  template <class Lanes, class T, int K>
  static typename Lanes::gathered all(pack_rows<const T, K> x, const std::int32_t* col) {
    return {x, col};
  }
  template <class Lanes, class T, int K>
  static typename Lanes::first_gathered first(pack_rows<const T, K> x, const std::int32_t* col, int n) {
    return {x, col, n};
  }
};

/// Asks for the x of Count entries behind those at col, unless they stand at `until` or behind it. Into the
/// second-level cache: the first has fewer misses under way, and the loads themselves take these.
template <int Count, bool Gathers, class X>
[[gnu::always_inline]] inline void prefetch_x(X x, const std::int32_t* col, const std::int32_t* until) {
  if constexpr (!Gathers) {
    if (until == nullptr || until - col < x_prefetch_distance + Count) return;
#pragma GCC unroll 16
    for (int i = 0; i < Count; ++i) __builtin_prefetch(x + col[x_prefetch_distance + i], 0, 2);
  }
}

}  // namespace gossamer::inline v0::formats::csr_rows::GOSSAMER_ISA
