// SPDX-License-Identifier: BSD-3-Clause
// packed: lane slices and COO slices. The columns and values of each slice are encoded in as few bytes as
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

/// The footprint, and the planned slices from which its bytes were counted.
template <value V>
struct packed_footprint : footprint {
  std::shared_ptr<const packed_code::matrix_plan<V>> planned;  ///< null: least()
  bool may_use_vectors = true;  ///< without a plan: the matrix may have few distinct values on diagonals
};

struct packed {
  static constexpr std::string_view name = "packed";
  static constexpr std::string_view source =
      "Gossamer's own, after papers 000 (row parts), 001 (a table of values) and 003 (threads a row)";
  static constexpr std::string_view help =
      "slices of rows, each with its own compact encoding of columns and values";
  static constexpr device_set devices = device_set::both;
  static constexpr kept keeps{};
  static constexpr device_set reencodes = device_set::cpu;

  struct options {
    std::int64_t longest_walk = 0;     ///< 0: auto
    std::int64_t warps_per_slice = 0;  ///< 0: auto
    std::int64_t longest_part = 0;     ///< 0: auto
    packed_short_rows short_rows = packed_short_rows::automatic;
    packed_precision precision = packed_precision::full;
    packed_diagonal_warps warps_on_diagonals = packed_diagonal_warps::automatic;
    std::int64_t entries_per_slice = 0;  ///< 0: auto
    packed_elided_deltas elided_deltas = packed_elided_deltas::automatic;
    packed_value_storage values = packed_value_storage::automatic;

    [[nodiscard]] bool shares_diagonals() const {
      return warps_on_diagonals == packed_diagonal_warps::scaled;
    }

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(number_field{.name = "longest_walk",
                     .help = "most entries of a lane; longer rows are shared by up to 32 lanes",
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
                     .help = "entries beyond which a row is cut into row parts",
                     .min = packed_max_coo_entries,
                     .max = packed_longest_part,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.longest_part);
      static constexpr option_choice ways[] = {
          {"auto", "for each window, the layout of the lower estimated cost"},
          {"padded", "always lane slices"},
          {"entries", "always COO slices, except for rows with more entries than entries_per_slice"},
      };
      f(choice_field{.name = "short_rows",
                     .help = "layout of rows that are not in diagonal slices",
                     .choices = ways},
        self.short_rows);
      static constexpr option_choice precisions[] = {
          {"full", "not rounded"},
          {"f32", "lossy: f64 is rounded to f32; f32 is not rounded"},
          {"f16", "lossy: rounded to f16; refused where a value is 65520 or more"},
          {"bf16", "lossy: rounded to bf16, 8 bits of significand"},
      };
      f(choice_field{.name = "precision",
                     .help = "type of the stored values; x, y and sums keep their type",
                     .choices = precisions},
        self.precision);
      static constexpr option_choice few[] = {
          {"auto", "scaled if warps_per_slice is auto, else fixed"},
          {"fixed", "as warps_per_slice"},
          {"scaled", "up to 8 if slices are too few for the device; by_rows if the matrix exceeds its cache"},
          {"by_rows",
           "2 warps instead of 1, each with half of the rows, for uncompressed f64 values without elided "
           "deltas"},
      };
      f(choice_field{.name = "warps_on_diagonals",
                     .help = "warps that share a diagonal slice, if most rows are in diagonal slices",
                     .choices = few,
                     .devices = device_set::cuda},
        self.warps_on_diagonals);
      f(number_field{.name = "entries_per_slice",
                     .help = "most entries of a COO slice",
                     .min = packed_min_coo_entries,
                     .max = packed_max_coo_entries,
                     .has_auto = true,
                     .devices = device_set::cuda},
        self.entries_per_slice);
      static constexpr option_choice elisions[] = {
          {"auto", "as always, for matrices whose products are limited by memory traffic"},
          {"always", "if it saves 1/64 of the bytes, and there are neither COO slices nor row parts"},
          {"never", "every step stores its deltas"},
      };
      f(choice_field{.name = "elided_deltas",
                     .help = "whether a step stores no deltas if all lanes have those of the step before",
                     .choices = elisions,
                     .devices = device_set::cuda},
        self.elided_deltas);
      static constexpr option_choice storages[] = {
          {"auto", "whole if update_values() will be called and values are not rounded, else encoded"},
          {"encoded", "each slice encodes its values in as few bytes as they need"},
          {"whole", "not encoded, so that update_values() replaces them on the device"},
      };
      f(choice_field{.name = "values",
                     .help = "whether values are encoded",
                     .choices = storages,
                     .devices = device_set::cuda},
        self.values);
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
  /// From a sample of windows, if there are many.
  template <class V, offset O>
  static packed_footprint<V> estimate(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                      const exec::target& target);
  /// No bytes: a slice may have one value for all entries, and columns without deltas.
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
  /// start_us is for products with dependent launch (compute capability 9.0). Without it, it is 1.6 us more.
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
                               *plan_matrix(rounded_values, o, target));
  }
  template <value V, offset O>
  static packed_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o,
                                              const exec::target& target,
                                              const packed_footprint<V>& measured);
  static constexpr options for_new_values(options o, device_set kind) {
    if (kind == device_set::cuda && o.values == packed_value_storage::automatic &&
        o.precision == packed_precision::full)
      o.values = packed_value_storage::whole;
    return o;
  }
  static constexpr bool replaces_values(const options& o) { return o.values == packed_value_storage::whole; }
  template <value V>
  static void replace_values(const packed_storage<V, exec::device_buffer>& stored,
                             const std::int64_t* row_ptr, const std::int64_t* permutation, const V* values,
                             cuda_stream);
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
  static constexpr bool multiplies_packs = true;
  template <scalar_types S>
  static cpu_passes<packed_pointers<matrix_t<S>>, S> passes(const packed_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const packed_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
  template <scalar_types S>
  static void launch_with_epilogue(const packed_pointers<matrix_t<S>>&,
                                   const product<exec::with_epilogue<S>>&, sum_t<S>*, cuda_stream);
  template <value V>
  static std::int64_t dot_parts(const packed_pointers<V>&);
  static constexpr std::int64_t columns_at_once = 64;
  template <scalar_types S>
  static void launch_columns(const packed_pointers<matrix_t<S>>&, const columns_product<S>&, sum_t<S>*,
                             cuda_stream);

 private:
  static constexpr const short_float& type_of(const options& o) {
    if (o.precision == packed_precision::f32) return float_f32;
    return packed_half_kind(o.precision == packed_precision::bf16);
  }
  /// The values to store: those of the matrix without a copy, or rounded values.
  template <value V, offset O>
  static host_buffer<V> to_store(const csr_view<V, O>& a, const options& o);
  template <value V, offset O>
  static csr_view<V, O> with(csr_view<V, O> a, const host_buffer<V>& values) {
    a.val = values.span();
    return a;
  }

  static constexpr std::size_t most_in_table = 256;
  template <value V>
  static value_table<V> table_of(std::span<const V> values, const options& o) {
    return replaces_values(o) ? value_table<V>{} : tabulate<V>(values, most_in_table);
  }

  template <value V>
  static packed_footprint<V> footprint_of(std::shared_ptr<const packed_code::matrix_plan<V>> planned,
                                          const options& o, bool on_device);
  template <value V, offset O>
  static std::shared_ptr<const packed_code::matrix_plan<V>> plan_matrix(const csr_view<V, O>& a,
                                                                        const options& o,
                                                                        const exec::target& target) {
    return std::make_shared<const packed_code::matrix_plan<V>>(a, table_of<V>(a.val, o), o,
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
  f.bytes = (all.table_slices > 0 ? static_cast<std::int64_t>(planned->how.table.size() * sizeof(V)) : 0) +
            all.slices() * static_cast<std::int64_t>(sizeof(packed_slice)) + all.pieces * packed_piece +
            packed_code::behind_the_last +
            all.cut_rows * static_cast<std::int64_t>(sizeof(std::int32_t) + 2 * sizeof(std::int64_t));
  if (!on_device)
    f.bytes += (packed_code::units_of(all.pieces, all.slices()).units + 1) *
               static_cast<std::int64_t>(2 * sizeof(std::int32_t));
  if (all.pieces > std::int64_t{std::numeric_limits<std::uint32_t>::max()})
    f.refusal = message("{} bytes of coded entries; slices begin within 64 GiB", {all.pieces * packed_piece});
  else if (all.lane_slices * o.warps_per_slice + all.coo_slices >
           std::int64_t{std::numeric_limits<std::int32_t>::max()})
    f.refusal = message("{} slices of {} warps and {} of one; warps are numbered in 31 bits",
                        {all.lane_slices, o.warps_per_slice, all.coo_slices});
  f.planned = std::move(planned);
  return f;
}

template <class V, offset O>
packed_footprint<V> packed::measure(const csr_view<V, O>& given, const row_statistics&, const options& o,
                                    const exec::target& target) {
  const host_buffer<V> values = to_store(given, o);
  return footprint_of(plan_matrix(with(given, values), o, target), o, target.kind == device_set::cuda);
}

template <class V, offset O>
packed_footprint<V> packed::estimate(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                     const exec::target& target) {
  // A sample of rounded values would need all values to be rounded first.
  if (!packed_code::is_worth_sampling(a) || !rounds_to<V>(o).empty()) return measure(a, s, o, target);
  const bool on_device = target.kind == device_set::cuda;
  const auto amounts_of = [&](const packed_code::scheme<V>& how) {
    packed_code::amounts all = packed_code::amounts_by_sample(a, how);
    if (s.max > o.longest_part) all.row_parts = std::max(all.row_parts, std::int64_t{1});
    return all;
  };
  const auto planned = std::make_shared<const packed_code::matrix_plan<V>>(
      a.rows, a.nnz(), table_of<V>(a.val, o), o, on_device, amounts_of);
  packed_footprint<V> f = footprint_of<V>(planned, o, on_device);
  // Near the limits only the exact counts show whether the matrix is refused.
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
  // Slices of short rows take as long to decode as those of long rows.
  constexpr core_work others = zen4::packed;
  constexpr core_work by_vectors = zen4::packed_by_vectors;
  const auto in_registers = static_cast<std::size_t>(simd::values_in_registers(target.level, sizeof(V)));
  // With AVX2 the table of f32 holds eight values, and csr is faster (docs/notes/packed-encodings.md).
  if (target.level != isa::avx512) return others;
  if (size.planned == nullptr) return size.may_use_vectors ? by_vectors : others;
  const packed_code::amounts& all = size.planned->all();
  const std::int64_t slots = all.diagonal_steps * packed_diagonal_slice_rows;
  // A slot has an index of a byte, a bit of the mask, and its share of a header: less than 1.5 bytes.
  const bool has_indices = 2 * all.pieces * packed_piece <= 3 * slots;
  const bool is_on_diagonals = 4 * slots >= 3 * s.nnz;
  return has_indices && is_on_diagonals && size.planned->how.table.size() <= in_registers ? by_vectors
                                                                                          : others;
}

template <value V>
device_work packed::gpu_work(const row_statistics& s, const options& o, const packed_footprint<V>& size) {
  device_work work{.kernel = hopper::packed, .long_rows = s.max > o.longest_part};
  if (size.planned == nullptr) {  // not measured: the lower bound of both kinds of slices
    work.kernel = hopper::packed_unmeasured;
    return work;
  }
  const packed_code::amounts& all = size.planned->all();
  const std::int64_t diagonal_slots = all.diagonal_steps * packed_diagonal_slice_rows;
  if (4 * diagonal_slots < 3 * s.nnz) return work;
  // In diagonal slices neighbouring lanes read neighbours in x. The cost is the bytes and a load of x for
  // each entry.
  work.kernel = hopper::packed_on_diagonals;
  work.longest_steps = static_cast<double>(std::min(diagonal_slots, s.nnz));
  return work;
}

template <class V, offset O>
double packed::cost(const row_statistics& s, const options&, const exec::target&, const machine& m,
                    const packed_footprint<V>& size) {
  // The sums of row parts are too few to matter.
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
