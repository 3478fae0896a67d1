// SPDX-License-Identifier: BSD-3-Clause
// Slices of 32 lanes, or of entries, whose columns and values are coded slice by slice in as few bytes as
// they need.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/parallel.hpp"
#include "exec/cpu/simd/values_in_registers.hpp"
#include "formats/contract/format.hpp"
#include "formats/packed/choose/plan.hpp"
#include "formats/packed/encode/encode.hpp"
#include "formats/packed/layout.hpp"
#include "formats/packed/to_csr.hpp"

namespace gossamer::inline v0::formats {

/// The footprint, and the plan of slices from which its bytes were counted.
template <value V>
struct packed_footprint : footprint {
  std::shared_ptr<const packed_code::matrix_plan<V>> planned;  ///< null: least()
  bool may_use_vectors = true;  ///< without a plan: cpu_work() may be that of few values on diagonals
};

struct packed {
  static constexpr std::string_view name = "packed";
  static constexpr std::string_view source =
      "Gossamer's own, after papers 000 (parts of rows), 001 (values in a table) and 003 (threads a row)";
  static constexpr std::string_view help =
      "slices of 32 lanes or of up to 256 entries, columns and values coded in as few bytes as they need";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};
  static constexpr bool reencodes = true;

  struct options {
    std::int64_t longest_walk = 0;     ///< 0: auto
    std::int64_t warps_per_slice = 0;  ///< 0: auto
    std::int64_t longest_part = 0;     ///< 0: auto
    packed_short_rows short_rows = packed_short_rows::automatic;
    packed_precision precision = packed_precision::full;
    packed_diagonal_warps warps_on_diagonals = packed_diagonal_warps::automatic;
    std::int64_t entries_per_slice = 0;  ///< 0: auto
    packed_elided_deltas elided_deltas = packed_elided_deltas::automatic;

    [[nodiscard]] bool shares_diagonals() const {
      return warps_on_diagonals == packed_diagonal_warps::scaled;
    }

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "longest_walk",
                     .help = "entries of a lane beyond which more lanes share the row, up to 32",
                     .min = 1,
                     .max = 4096,
                     .has_auto = true},
        self.longest_walk);
      f(number_field{.name = "warps_per_slice",
                     .help = "warps that share the steps of a slice; a power of two",
                     .min = 1,
                     .max = 8,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.warps_per_slice);
      f(number_field{.name = "longest_part",
                     .help = "entries beyond which a row is cut into parts, which are added up at the end",
                     .min = packed_most_entries,
                     .max = packed_longest_part,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.longest_part);
      static constexpr option_choice ways[] = {
          {"auto", "window by window, whichever is estimated to cost less"},
          {"padded", "always in lanes"},
          {"entries", "always without lanes, except rows with more entries than such a slice may have"},
      };
      f(
          choice_field{
              .name = "short_rows", .help = "how rows are stored that are no diagonals", .choices = ways},
          self.short_rows);
      static constexpr option_choice precisions[] = {
          {"full", "as they are given"},
          {"f32", "lossy: rounded to f32; of f32 as they are"},
          {"f16", "lossy: rounded to f16; refused where a value is 65520 or more"},
          {"bf16", "lossy: rounded to bf16, 8 bits of significand"},
      };
      f(choice_field{.name = "precision",
                     .help = "what values are stored as; x, y and sums keep their type",
                     .choices = precisions},
        self.precision);
      static constexpr option_choice few[] = {
          {"auto", "scaled where warps_per_slice is auto, else fixed"},
          {"fixed", "warps_per_slice of them"},
          {"scaled", "up to 8 where there are too few slices for the device, by_rows beyond its cache"},
          {"by_rows",
           "of 1 warp 2, each with half of the rows, where values are in full and of f64 and no columns "
           "repeat"},
      };
      f(choice_field{.name = "warps_on_diagonals",
                     .help = "warps of a slice where most rows are on diagonals, 128 to a slice",
                     .choices = few,
                     .devices = device_set::cuda},
        self.warps_on_diagonals);
      f(number_field{.name = "entries_per_slice",
                     .help = "entries of a slice without lanes, at most",
                     .min = packed_least_entries,
                     .max = packed_most_entries,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.entries_per_slice);
      static constexpr option_choice repeats[] = {
          {"auto", "where a matrix waits for bytes, and as always"},
          {"always", "where a 64th of the bytes is saved, and no slice is of entries, nor a part of a row"},
          {"never", "every step stores its deltas"},
      };
      f(choice_field{.name = "elided_deltas",
                     .help =
                         "steps whose columns are equally far from those before in all lanes repeat these",
                     .choices = repeats,
                     .devices = device_set::cuda},
        self.elided_deltas);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);

  template <value V>
  static constexpr std::string_view rounds_to(const options& o) {
    const bool rounds = o.precision != packed_precision::full &&
                        (o.precision != packed_precision::f32 || sizeof(V) > sizeof(float));
    return rounds ? type_of(o).name : std::string_view();
  }
  template <value V>
  static constexpr V rounded(V v, const options& o) {
    return rounds_to<V>(o).empty() ? v : gossamer::rounded(v, type_of(o));
  }

  template <class V, offset O>
  static packed_footprint<V> measure(const csr_view<V, O>& given, const row_statistics& s, const options& o,
                                     const exec::target& target);
  /// By a sample of windows, where there are many.
  template <class V, offset O>
  static packed_footprint<V> estimate(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                      const exec::target& target);
  /// No bytes: a slice may have one value for all entries, and columns that follow from its first.
  template <class V, offset O>
  static packed_footprint<V> least(const csr_view<V, O>& a, const row_statistics&, const options& o,
                                   const exec::target& target) {
    const auto most = static_cast<std::size_t>(simd::values_in_registers(target.level, sizeof(V)));
    packed_footprint<V> size;
    size.exact = false;
    size.may_use_vectors = target.kind == device_set::cpu && target.level == isa::avx512 &&
                           (!rounds_to<V>(o).empty() || different_values<V>(a.val, most) <= most) &&
                           packed_is_on_diagonals(a);
    return size;
  }
  template <value V>
  static core_work cpu_work(const row_statistics& s, const options& o, const exec::target& target,
                            const packed_footprint<V>& size);
  /// start_us is that of a product which begins while another of ours ends (compute capability 9.0): else it
  /// is 1.6 us more.
  template <value V>
  static device_work gpu_work(const row_statistics& s, const options& o, const packed_footprint<V>& size);
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m,
                     const packed_footprint<V>& size);

  template <class T, offset O, template <class> class Buffer>
  using storage = packed_storage<T, Buffer>;

  template <value V, offset O>
  static packed_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o,
                                              const exec::target& target) {
    const host_buffer<V> values = to_store(a, o);
    const csr_view<V, O> rounded_values = with(a, values);
    return packed_code::encode(rounded_values, o, target.kind == device_set::cuda,
                               *code(rounded_values, o, target));
  }
  template <value V, offset O>
  static packed_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o,
                                              const exec::target& target,
                                              const packed_footprint<V>& measured);
  template <value V>
  static constexpr bool can_build_on_device(const options& o) {
    return rounds_to<V>(o).empty();
  }
  template <value V, offset O>
  static std::optional<packed_storage<V, exec::device_buffer>> build_on_device(
      const csr_view<V, O, device_space>& a, const row_statistics& statistics, const options& o,
      const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const packed_storage<V, host_buffer>& stored) {
    return packed_matrix(stored);
  }

  template <scalar_types S>
  static std::int64_t scratch(const packed_pointers<matrix_t<S>>& a) {
    return exec::part_scratch_values<sum_t<S>>(a.carries);
  }
  template <scalar_types S>
  static cpu_passes<packed_pointers<matrix_t<S>>, S> passes(const packed_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const packed_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);

 private:
  static constexpr const short_float& type_of(const options& o) {
    if (o.precision == packed_precision::f32) return float_f32;
    return packed_half_kind(o.precision == packed_precision::bf16);
  }
  /// The values as they are stored: the matrix's own, or, where they are rounded, a copy of them.
  template <value V, offset O>
  static host_buffer<V> to_store(const csr_view<V, O>& a, const options& o);
  template <value V, offset O>
  static csr_view<V, O> with(csr_view<V, O> a, const host_buffer<V>& values) {
    a.val = values.span();
    return a;
  }

  static constexpr std::size_t most_in_table = 256;

  template <value V>
  static packed_footprint<V> footprint_of(std::shared_ptr<const packed_code::matrix_plan<V>> planned,
                                          const options& o, bool on_device);
  template <value V, offset O>
  static std::shared_ptr<const packed_code::matrix_plan<V>> code(const csr_view<V, O>& a, const options& o,
                                                                 const exec::target& target) {
    return std::make_shared<const packed_code::matrix_plan<V>>(a, tabulate<V>(a.val, most_in_table), o,
                                                               target.kind == device_set::cuda);
  }
};

template <value V, offset O>
host_buffer<V> packed::to_store(const csr_view<V, O>& a, const options& o) {
  if (rounds_to<V>(o).empty()) return host_buffer<V>::borrow(a.val);
  host_buffer<V> values(a.val.size());
  core::parallel_for(a.nnz(), core::default_grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) values.data()[k] = rounded(a.val.data()[k], o);
  });
  return values;
}

template <value V>
packed_footprint<V> packed::footprint_of(std::shared_ptr<const packed_code::matrix_plan<V>> planned,
                                         const options& o, bool on_device) {
  const packed_code::amounts& all = planned->all();
  packed_footprint<V> f;
  f.bytes = (all.by_table > 0 ? static_cast<std::int64_t>(planned->how.table.size() * sizeof(V)) : 0) +
            all.slices() * static_cast<std::int64_t>(sizeof(packed_slice)) + all.pieces * packed_piece +
            packed_code::behind_the_last +
            all.runs * static_cast<std::int64_t>(sizeof(std::int32_t) + 2 * sizeof(std::int64_t));
  if (!on_device)
    f.bytes += (packed_code::units_of(all.pieces, all.slices()).units + 1) *
               static_cast<std::int64_t>(sizeof(std::int32_t));
  if (all.pieces > std::int64_t{std::numeric_limits<std::uint32_t>::max()})
    f.refusal = message("{} bytes of coded entries; slices begin within 64 GiB", {all.pieces * packed_piece});
  else if (all.in_lanes * o.warps_per_slice + all.of_entries >
           std::int64_t{std::numeric_limits<std::int32_t>::max()})
    f.refusal = message("{} slices of {} warps and {} of one; warps are numbered in 31 bits",
                        {all.in_lanes, o.warps_per_slice, all.of_entries});
  f.planned = std::move(planned);
  return f;
}

template <class V, offset O>
packed_footprint<V> packed::measure(const csr_view<V, O>& given, const row_statistics&, const options& o,
                                    const exec::target& target) {
  const host_buffer<V> values = to_store(given, o);
  return footprint_of(code(with(given, values), o, target), o, target.kind == device_set::cuda);
}

template <class V, offset O>
packed_footprint<V> packed::estimate(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                     const exec::target& target) {
  // Rounded values would have to be made first, all of them.
  if (!packed_code::is_worth_sampling(a) || !rounds_to<V>(o).empty()) return measure(a, s, o, target);
  const bool on_device = target.kind == device_set::cuda;
  const auto amounts_of = [&](const packed_code::scheme<V>& how) {
    packed_code::amounts all = packed_code::amounts_by_sample(a, how);
    if (s.max > o.longest_part) all.parts = std::max(all.parts, std::int64_t{1});
    return all;
  };
  const auto planned = std::make_shared<const packed_code::matrix_plan<V>>(
      a.rows, a.nnz(), tabulate<V>(a.val, most_in_table), o, on_device, amounts_of);
  packed_footprint<V> f = footprint_of<V>(planned, o, on_device);
  // Near what may be numbered only all of it tells whether it is refused.
  constexpr std::int64_t most_pieces = std::int64_t{1} << 31;
  constexpr std::int64_t most_warps = std::int64_t{1} << 30;
  if (planned->all().pieces > most_pieces || planned->all().slices() * o.warps_per_slice > most_warps)
    return measure(a, s, o, target);
  f.exact = false;
  return f;
}

template <value V>
core_work packed::cpu_work(const row_statistics& s, const options&, const exec::target& target,
                           const packed_footprint<V>& size) {
  // Slices of short rows have as much to decode as those of long ones.
  constexpr core_work others = zen4::packed;
  constexpr core_work by_vectors = zen4::packed_by_vectors;
  const auto in_registers = static_cast<std::size_t>(simd::values_in_registers(target.level, sizeof(V)));
  // With eight values in a register of AVX2, f32 took up to 1.45 of csr's time on 16 threads of a Xeon.
  if (target.level != isa::avx512) return others;
  if (size.planned == nullptr) return size.may_use_vectors ? by_vectors : others;
  const packed_code::amounts& all = size.planned->all();
  const std::int64_t slots = all.steps_on_diagonals * packed_rows_on_diagonals;
  // A code, a bit for a hole, and a quarter of a byte for what a slice has once; more where slices have
  // uncompressed values.
  const bool has_codes = 2 * all.pieces * packed_piece <= 3 * slots;
  const bool is_on_diagonals = 4 * slots >= 3 * s.nnz;
  return has_codes && is_on_diagonals && size.planned->how.table.size() <= in_registers ? by_vectors : others;
}

template <value V>
device_work packed::gpu_work(const row_statistics& s, const options& o, const packed_footprint<V>& size) {
  device_work work{.kernel = hopper::packed, .long_rows = s.max > o.longest_part};
  if (size.planned == nullptr) {  // nothing is known: the least of both
    work.kernel = hopper::packed_unmeasured;
    return work;
  }
  const packed_code::amounts& all = size.planned->all();
  const std::int64_t diagonal_slots = all.steps_on_diagonals * packed_rows_on_diagonals;
  if (4 * diagonal_slots < 3 * s.nnz) return work;
  // On diagonals neighbouring lanes read neighbours in x, wherever these are; what is left beside the bytes
  // is a load of x for each entry.
  work.kernel = hopper::packed_on_diagonals;
  work.longest_steps = static_cast<double>(std::min(diagonal_slots, s.nnz));
  return work;
}

template <class V, offset O>
double packed::cost(const row_statistics& s, const options&, const exec::target&, const machine& m,
                    const packed_footprint<V>& size) {
  // What the parts of a row have is so little that it does not count.
  return roofline(static_cast<double>(size.bytes) + static_cast<double>(s.rows + s.cols) * sizeof(V), 1, m);
}

template <value V, offset O>
packed_storage<V, host_buffer> packed::build(const csr_view<V, O>& a, const options& o,
                                             const exec::target& target,
                                             const packed_footprint<V>& measured) {
  const host_buffer<V> values = to_store(a, o);
  return packed_code::encode(with(a, values), o, target.kind == device_set::cuda, *measured.planned);
}

}  // namespace gossamer::inline v0::formats
