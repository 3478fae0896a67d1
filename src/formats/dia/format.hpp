// SPDX-License-Identifier: BSD-3-Clause
// Diagonals: the offsets of the diagonals that have an entry, and each of them stored from the first row to
// the last, without columns.
#pragma once

#include <algorithm>

#include "core/parallel.hpp"
#include "formats/common/equal_cuts.hpp"
#include "formats/common/padded_format.hpp"
#include "formats/dia/diagonals.hpp"

namespace gossamer::inline v0::formats {

struct dia_meta {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
  std::int64_t diagonals = 0;
  std::int64_t blocks = 0;  ///< of dia_block_rows rows

  /// Slot of row i on diagonal d: d * stride() + i.
  [[nodiscard]] constexpr std::int64_t stride() const;
};

template <class V>
struct dia_pointers {
  dia_meta meta;
  const std::int32_t* offset;
  const std::uint32_t* valid;
  const V* val;
};

template <class T, template <class> class Buffer>
struct dia_storage {
  dia_meta meta;
  Buffer<std::int32_t>
      offset;  ///< diagonals: column minus row, ascending; the same one twice where rows have duplicates
  Buffer<std::uint32_t>
      valid;  ///< blocks * diagonals: bit r of valid[b * diagonals + d]: row 32 b + r has an entry there
  Buffer<T> val;

  template <class Self, class F>
  static void arrays(Self& self, F&& f) {
    f("offset", self.offset);
    f("valid", self.valid);
    f("val", self.val);
  }

  [[nodiscard]] dia_pointers<T> view() const {
    return {.meta = meta, .offset = offset.data(), .valid = valid.data(), .val = val.data()};
  }
};

/// Rows whose bits make a word, so that one word serves a warp; a diagonal is padded to whole blocks.
inline constexpr std::int64_t dia_block_rows = 32;

constexpr std::int64_t dia_meta::stride() const {
  return blocks * dia_block_rows;
}

constexpr std::int64_t dia_blocks(std::int64_t rows) {
  return (rows + dia_block_rows - 1) / dia_block_rows;
}

struct dia : stored_as<dia_storage, dia_pointers> {
  static constexpr std::string_view name = "dia";
  static constexpr std::string_view source = "paper 004, section 4.2.4; Saad 1994";
  static constexpr std::string_view help = "diagonals without column indices; for stencils and bands";
  static constexpr kept keeps{.order = false};

  using options = padding_options<100>;

  static options resolve(options o, const row_statistics&, const exec::target&) { return o; }
  static std::vector<options> candidates(const row_statistics&, const exec::target&) { return {options{}}; }

  template <class V, offset O>
  static footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                           const exec::target& target);
  template <class V, offset O>
  static footprint least(const csr_view<V, O>& a, const row_statistics&, const options&,
                         const exec::target&) {
    const std::int64_t diagonals = sampled_diagonals(a, [](std::int64_t, std::int64_t) { return true; });
    return {.bytes = diagonals * dia_blocks(a.rows) * dia_block_rows * static_cast<std::int64_t>(sizeof(V)),
            .exact = false};
  }
  /// No column is read.
  static constexpr core_work work(const options&) { return zen4::dia; }
  template <value V>
  static double stored_diagonals(const row_statistics& s, const footprint& size) {
    return static_cast<double>(size.bytes) / (static_cast<double>(s.rows) + 1) / sizeof(V);
  }
  /// A lane goes over all diagonals.
  template <value V>
  static device_work gpu_work(const row_statistics& s, const options&, const footprint& size) {
    const double diagonals = stored_diagonals<V>(s, size);
    return {.kernel = hopper::dia, .usual_steps = diagonals, .longest_steps = diagonals};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m,
                     const footprint& size);

  template <class T, offset O>
  static dia_storage<T, host_buffer> build(const csr_view<T, O>& a, const options& o,
                                           const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const dia_storage<V, host_buffer>& stored);

  template <scalar_types S>
  static cpu_passes<dia_pointers<matrix_t<S>>, S> passes(const dia_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const dia_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
};

template <class V, offset O>
footprint dia::measure(const csr_view<V, O>& a, const row_statistics&, const options& o,
                       const exec::target&) {
  const std::int64_t stride = dia_blocks(a.rows) * dia_block_rows;
  const std::int64_t most_slots = std::max(free_slots, o.max_padding * std::max<std::int64_t>(a.nnz(), 1));
  const std::int64_t most_diagonals = most_slots / std::max<std::int64_t>(stride, 1);
  const diagonal_set found(a, most_diagonals);
  // Up to 2^32 diagonals of 2^31 rows, and more where entries stand twice: long double orders what int64 does
  // not hold.
  const auto slots_of = [&](std::int64_t diagonals) {
    return static_cast<long double>(stride) * static_cast<long double>(diagonals);
  };
  const auto bytes_of = [&](std::int64_t diagonals) {
    return slots_of(diagonals) * sizeof(V) + slots_of(diagonals) / dia_block_rows * sizeof(std::uint32_t) +
           static_cast<long double>(diagonals) * sizeof(std::int32_t);
  };
  // There are no more diagonals than entries, copies included.
  footprint f = footprint_of(bytes_of(found.gave_up() ? a.nnz() : found.count()));
  f.exact = f.exact && !found.gave_up();
  if (found.count() > most_diagonals) {
    const long double slots = slots_of(found.count());
    const std::string_view at_least = found.gave_up() ? "at least " : "";
    f.refusal = message(
        "{0}{1} diagonals of {2} rows need {0}{3:.3g} slots for {4} nonzeros, {5:.3g} a nonzero, {6:.3g} "
        "bytes in all; max_padding = {7}",
        {at_least, found.count(), a.rows, slots, a.nnz(), slots_a_nonzero(slots, a.nnz()),
         bytes_of(found.count()), o.max_padding});
  }
  return f;
}

template <class V, offset O>
double dia::cost(const row_statistics& s, const options&, const exec::target& target, const machine& m,
                 const footprint& size) {
  const auto bytes = static_cast<double>(size.bytes);
  // A core reads each diagonal from a place of its own, and follows no more than so many at full speed
  // (docs/notes/dia.md).
  constexpr double followed = 12;
  constexpr double slower_for_each = 0.05;
  constexpr double slowest = 1.55;
  double slower = 1;
  if (target.kind == device_set::cpu)
    slower = std::clamp(1 + slower_for_each * (stored_diagonals<V>(s, size) - followed), 1.0, slowest);
  return one_pass<V>(bytes * slower, s, m);
}

template <class T, offset O>
dia_storage<T, host_buffer> dia::build(const csr_view<T, O>& a, const options&, const exec::target&) {
  dia_storage<T, host_buffer> s;
  s.offset = diagonal_set(a).list();
  const std::int32_t* const offset = std::as_const(s.offset).data();
  const auto diagonals = static_cast<std::int64_t>(s.offset.size());
  s.meta = {
      .rows = a.rows, .cols = a.cols, .nnz = a.nnz(), .diagonals = diagonals, .blocks = dia_blocks(a.rows)};
  const std::int64_t stride = s.meta.stride();
  s.valid = host_buffer<std::uint32_t>(static_cast<std::size_t>(s.meta.blocks * diagonals));
  s.val = host_buffer<T>(static_cast<std::size_t>(stride * diagonals));
  core::parallel_for(s.meta.blocks, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) {
      std::uint32_t* const valid = s.valid.data() + b * diagonals;
      const std::int64_t first_row = b * dia_block_rows;
      for (std::int64_t d = 0; d < diagonals; ++d) {
        valid[d] = 0;
        std::fill_n(s.val.data() + d * stride + first_row, dia_block_rows, T{});
      }
      for (std::int64_t i = first_row; i < std::min(a.rows, first_row + dia_block_rows); ++i) {
        const std::uint32_t bit = std::uint32_t{1} << (i - first_row);
        const auto last = static_cast<std::int64_t>(a.row_ptr.data()[i + 1]);
        std::int64_t next = 0;  // in sorted rows an entry's diagonal often follows that of the entry before
        for (auto k = static_cast<std::int64_t>(a.row_ptr.data()[i]); k < last; ++k) {
          const auto wanted = static_cast<std::int32_t>(a.col.data()[k] - i);
          std::int64_t d = next;
          const bool follows = d < diagonals && offset[d] == wanted && (d == 0 || offset[d - 1] < wanted) &&
                               (valid[d] & bit) == 0;
          if (!follows) {
            // Copies of a diagonal fill up in order, so that duplicates keep theirs.
            const auto [from, to] = std::equal_range(offset, offset + diagonals, wanted);
            d = std::partition_point(from, to,
                                     [&](const std::int32_t& o) { return (valid[&o - offset] & bit) != 0; }) -
                offset;
          }
          valid[d] |= bit;
          s.val.data()[d * stride + i] = a.val.data()[k];
          next = d + 1;
        }
      }
    }
  });
  return s;
}

template <value V>
csr_matrix<V, std::int64_t> dia::to_csr(const dia_storage<V, host_buffer>& stored) {
  const dia_meta& m = stored.meta;
  auto a = csr_of_size<V>(m.rows, m.cols, m.nnz);
  std::int64_t k = 0;
  a.row_ptr[0] = 0;
  for (std::int64_t i = 0; i < m.rows; ++i) {
    const std::uint32_t* const valid = stored.valid.data() + i / dia_block_rows * m.diagonals;
    for (std::int64_t d = 0; d < m.diagonals; ++d) {
      if ((valid[d] >> (i % dia_block_rows) & 1) == 0) continue;
      a.col.data()[k] = static_cast<std::int32_t>(i + stored.offset.data()[d]);
      a.val.data()[k] = stored.val.data()[d * m.stride() + i];
      ++k;
    }
    a.row_ptr.data()[i + 1] = k;
  }
  return a;
}

}  // namespace gossamer::inline v0::formats
