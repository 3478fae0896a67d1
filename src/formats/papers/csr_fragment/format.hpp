// SPDX-License-Identifier: BSD-3-Clause
// CSR-B: compressed sparse rows, cut into fragments of equally many entries whatever the rows are; Bound says
// which rows a fragment touches.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "core/parallel.hpp"
#include "formats/common/borrowed_csr.hpp"
#include "formats/common/equal_cuts.hpp"

namespace gossamer::inline v0::formats {

enum class csr_fragment_kernel : std::int32_t { paper, adaptive };

/// Numbers the choices of fragment.
enum class csr_fragment_length : std::int32_t { of_256, of_512, of_1024, of_2048, of_4096 };

constexpr std::int64_t entries_of(csr_fragment_length l) {
  return std::int64_t{256} << static_cast<int>(l);
}

/// Bound of paper 002: the rows of a fragment's first and last entry.
struct fragment_bound {
  std::int32_t x = 0;
  std::int32_t y = 0;

  friend bool operator==(const fragment_bound&, const fragment_bound&) = default;
};

/// Rows [first, last) without entries that lie between two fragments, and so in none.
struct fragment_gap {
  std::int32_t first = 0;
  std::int32_t last = 0;

  friend bool operator==(const fragment_gap&, const fragment_gap&) = default;
};

struct csr_fragment_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  csr_fragment_kernel kernel = csr_fragment_kernel::paper;
  std::int64_t fragment = 1;  ///< entries of each but the last
  std::int64_t fragments = 0;
  std::int64_t gaps = 0;
  exec::carry_counts carries;
};

template <class V, offset O>
struct csr_fragment_pointers {
  csr_fragment_meta meta;
  const O* row_ptr;
  const std::int32_t* col;
  const V* val;
  const fragment_bound* bound;
  const fragment_gap* gap;
  exec::carry_view carries;
};

template <class T, offset O, template <class> class Buffer>
struct csr_fragment_storage {
  csr_fragment_meta meta;
  Buffer<O> row_ptr;
  Buffer<std::int32_t> col;
  Buffer<T> val;
  Buffer<fragment_bound> bound;
  Buffer<fragment_gap> gap;
  exec::carry_list<Buffer> carries;  ///< the slots are the paper's result_aid

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("row_ptr", self.row_ptr);
    f("col", self.col);
    f("val", self.val);
    f("bound", self.bound);
    f("gap", self.gap);
    exec::carry_list<Buffer>::arrays(self.carries, f);
  }

  [[nodiscard]] csr_fragment_pointers<T, O> view() const {
    return {.meta = meta,
            .row_ptr = row_ptr.data(),
            .col = col.data(),
            .val = val.data(),
            .bound = bound.data(),
            .gap = gap.data(),
            .carries = exec::view_of(carries, meta.carries)};
  }
};

struct csr_fragment : borrowed_csr<csr_fragment_storage, csr_fragment_pointers> {
  static constexpr std::string_view name = "csr_fragment";
  static constexpr std::string_view source = "paper 002, section 5.2 (CSR-B)";
  static constexpr std::string_view help =
      "compressed sparse rows, cut into fragments with equal numbers of entries";

  static constexpr std::array<option_choice, 5> lengths{
      option_choice{"256", "one entry for each thread of a block"}, option_choice{"512", "two"},
      option_choice{"1024", "four, the paper's"}, option_choice{"2048", "eight"},
      option_choice{"4096", "sixteen"}};

  static constexpr std::array<option_choice, 2> kernels{
      option_choice{"paper", "16 threads sum each row of a fragment"},
      option_choice{"adaptive", "number of threads by the mean row length of the fragment"}};

  struct options {
    csr_fragment_length fragment = csr_fragment_length::of_1024;
    csr_fragment_kernel kernel = csr_fragment_kernel::paper;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(choice_field{.name = "fragment", .help = "entries of a fragment", .choices = lengths}, self.fragment);
      f(choice_field{.name = "kernel",
                     .help = "how the rows of a fragment are given to threads",
                     .choices = kernels,
                     .devices = device_set::cuda},
        self.kernel);
    }
  };

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  /// The row of an entry is found by bisecting.
  static constexpr core_work work(const options&) { return zen4::csr_fragment; }
  static device_work gpu_work(const row_statistics& s, const options&) {
    return {.kernel = hopper::csr_fragment, .long_rows = s.max > long_row};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m);

  template <class T, offset O>
  static csr_fragment_storage<T, O, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                                       const exec::target& target);
  template <scalar_types S, offset O>
  static cpu_passes<csr_fragment_pointers<matrix_t<S>, O>, S> passes(
      const csr_fragment_pointers<matrix_t<S>, O>&, isa);
  template <scalar_types S, offset O>
  static void launch(const csr_fragment_pointers<matrix_t<S>, O>&, const product<S>&, sum_t<S>*, cuda_stream);
};

constexpr std::int64_t fragments_of(std::int64_t nnz, std::int64_t fragment) {
  return (nnz + fragment - 1) / fragment;
}

/// Long stretches of empty rows between fragments are shared out in pieces of this many rows.
inline constexpr std::int64_t rows_of_gap = 4096;

/// The Bound array for fragments of so many entries.
template <class V, offset O>
host_buffer<fragment_bound> find_bounds(const csr_view<V, O>& a, std::int64_t fragment) {
  const std::int64_t fragments = fragments_of(a.nnz(), fragment);
  host_buffer<fragment_bound> bound(static_cast<std::size_t>(fragments));
  core::parallel_for(fragments, 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t f = begin; f < end; ++f)
      bound.data()[f] = {.x = row_of_entry(a, f * fragment),
                         .y = row_of_entry(a, std::min(a.nnz(), (f + 1) * fragment) - 1)};
  });
  return bound;
}

/// The rows that are in no fragment, ascending.
inline std::vector<fragment_gap> find_gaps(const host_buffer<fragment_bound>& bound, std::int64_t rows) {
  std::vector<fragment_gap> gaps;
  for (std::size_t f = 0; f <= bound.size(); ++f) {
    std::int64_t first = f == 0 ? 0 : std::int64_t{bound[f - 1].y} + 1;
    const std::int64_t last = f == bound.size() ? rows : std::int64_t{bound[f].x};
    for (; first < last; first += rows_of_gap)
      gaps.push_back({.first = static_cast<std::int32_t>(first),
                      .last = static_cast<std::int32_t>(std::min(last, first + rows_of_gap))});
  }
  return gaps;
}

template <class T, offset O>
csr_fragment_storage<T, O, host_buffer> csr_fragment::build(const csr_view<T, O>& a, const options& o,
                                                            const exec::target& target) {
  csr_fragment_storage<T, O, host_buffer> s;
  const std::int64_t fragment = entries_of(o.fragment);
  s.bound = find_bounds(a, fragment);
  const std::vector<fragment_gap> gaps = find_gaps(s.bound, a.rows);
  s.gap = host_buffer<fragment_gap>(gaps.size());
  std::copy(gaps.begin(), gaps.end(), s.gap.data());
  s.meta = {.rows = a.rows,
            .cols = a.cols,
            .nnz = a.nnz(),
            .kernel = o.kernel,
            .fragment = fragment,
            .fragments = static_cast<std::int64_t>(s.bound.size()),
            .gaps = static_cast<std::int64_t>(gaps.size())};
  borrow_arrays(s, a);
  const fragment_bound* const bound = std::as_const(s.bound).data();
  s.carries = exec::list_carries(
      s.meta.fragments, [&](std::int64_t f) { return bound[f - 1].y == bound[f].x ? bound[f].x : -1; },
      s.meta.carries);
  if (target.kind == device_set::cuda) s.meta.carries.apart = true;  // the paper's second kernel
  return s;
}

template <class V, offset O>
footprint csr_fragment::measure(const csr_view<V, O>&, const row_statistics& s, const options& o,
                                const exec::target&) {
  const std::int64_t fragments = fragments_of(s.nnz, entries_of(o.fragment));
  // Which fragments share rows, and where the empty rows lie, is known only by cutting.
  const std::int64_t gaps = std::min(s.empty, fragments + 1) + s.empty / rows_of_gap;
  return {.bytes = csr_bytes<V, O>(s) + fragments * static_cast<std::int64_t>(sizeof(fragment_bound)) +
                   gaps * static_cast<std::int64_t>(sizeof(fragment_gap)) +
                   exec::carry_bytes_bound(fragments, std::max<std::int64_t>(0, fragments - 1)),
          .exact = fragments <= 1 && gaps == 0,
          .refusal = {}};
}

template <class V, offset O>
double csr_fragment::cost(const row_statistics& s, const options& o, const exec::target&, const machine& m) {
  const auto fragments = static_cast<double>(fragments_of(s.nnz, entries_of(o.fragment)));
  const double matrix = static_cast<double>(s.nnz) * (sizeof(V) + sizeof(std::int32_t)) +
                        static_cast<double>(s.rows + 1) * sizeof(O) + fragments * sizeof(fragment_bound);
  // A fragment leaves two sums, which are read again beside 20 bytes for each row that they belong to.
  const double shared = fragments > 1 ? fragments * (4 * sizeof(V) + 20) : 0;
  const double vectors = static_cast<double>(s.rows + s.cols) * sizeof(V);
  return roofline(matrix + shared + vectors, 1, m);
}

}  // namespace gossamer::inline v0::formats
