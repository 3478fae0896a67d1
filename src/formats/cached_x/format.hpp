// SPDX-License-Identifier: BSD-3-Clause
// The format cached_x: keeps a part of x in fast memory, a GPU's shared memory or a core's cache, while it
// multiplies the entries that read this part.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "formats/cached_x/build.hpp"
#include "formats/cached_x/storage.hpp"
#include "formats/common/sampled_entries.hpp"
#include "formats/common/stored_as.hpp"

namespace gossamer::inline v0::formats {

struct cached_x_footprint : footprint {
  double pieces = 0;  ///< number of pieces, estimated from a sample
};

struct cached_x : stored_as<cached_x_storage, cached_x_pointers> {
  static constexpr std::string_view name = "cached_x";
  static constexpr std::string_view source =
      "cache blocking: Nishtala et al. 2007; segmented sums: Blelloch et al. 1993";
  static constexpr std::string_view help =
      "entries ordered to reuse parts of x from fast memory; for wide matrices and graphs with hubs";
  static constexpr device_set reencodes = device_set::cpu;

  static constexpr std::array<option_choice, 2> column_choices{
      option_choice{"panels", "entries sorted by panels of columns; for few, long rows"},
      option_choice{"frequent", "the most frequent columns of x; for graphs with hubs"}};

  static constexpr std::array<option_choice, 3> value_choices{
      option_choice{"auto", "whole if update_values() will be called, else encoded"},
      option_choice{"encoded", "up to 256 different values are stored as indices into a table"},
      option_choice{"whole", "not encoded, so that update_values() replaces them on the device"}};

  /// Numbers value_choices.
  enum class stored_values : std::int32_t { automatic, encoded, whole };

  struct options {
    cached_x_columns columns = cached_x_columns::panels;
    std::int64_t cache_kib = 0;
    stored_values values = stored_values::automatic;

    template <class Self, class F>
    static void fields(Self& self, F&& f) {
      f(choice_field{.name = "columns",
                     .help = "which part of x is in shared memory",
                     .choices = column_choices,
                     .devices = device_set::cuda},
        self.columns);
      f(number_field{.name = "cache_kib",
                     .help = "KiB of x that are kept in fast memory",
                     .min = 1,
                     .max = 512,
                     .has_auto = true,
                     .test_value = 16},
        self.cache_kib);
      f(choice_field{.name = "values",
                     .help = "whether values are encoded",
                     .choices = value_choices,
                     .devices = device_set::cuda},
        self.values);
    }
  };

  static options resolve(options o, const row_statistics& s, const exec::target& target);
  static std::vector<options> candidates(const row_statistics& s, const exec::target& target);
  /// A panel has at most cached_x_widest columns.
  template <value V>
  static constexpr options fit_to_values(options o) {
    if (o.columns == cached_x_columns::panels)
      o.cache_kib = std::min(o.cache_kib, cached_x_widest * static_cast<std::int64_t>(sizeof(V)) / 1024);
    return o;
  }

  template <class V, offset O>
  static cached_x_footprint measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                    const exec::target& target);
  /// The footprint if the columns of all rows ascend, so that `entry` is not stored.
  template <class V, offset O>
  static cached_x_footprint least(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                  const exec::target& target);
  template <class V, offset O>
  static cached_x_footprint estimate(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                     const exec::target& target) {
    return least(a, s, o, target);
  }
  /// The cost model of a CPU. Each piece is the end of a loop, and costs as much as several entries. The
  /// panel of x is in the cache of the core. If x is a single panel, this is true for csr, too, so that
  /// gathers cost the same.
  template <value V>
  static core_work cpu_work(const row_statistics& s, const options& o, const exec::target&,
                            const cached_x_footprint& size) {
    core_work work = zen4::cached_x;
    if (s.cols <= cached_columns<sizeof(V)>(o)) work.gather_ns = zen4::csr.gather_ns;
    const double loops =
        size.pieces * zen4::cached_x.row_ns + static_cast<double>(s.empty) * zen4::jds.row_ns;
    work.row_ns = loops / static_cast<double>(std::max<std::int64_t>(1, s.rows));
    return work;
  }
  static device_work gpu_work(const row_statistics&, const options& o) {
    return {.kernel =
                o.columns == cached_x_columns::panels ? hopper::cached_x_panels : hopper::cached_x_frequent};
  }
  template <class V, offset O>
  static double cost(const row_statistics& s, const options& o, const exec::target& target, const machine& m,
                     const cached_x_footprint& size);

  static constexpr options for_new_values(options o, device_set kind) {
    if (kind == device_set::cuda && o.values == stored_values::automatic) o.values = stored_values::whole;
    return o;
  }
  static constexpr bool replaces_values(const options& o) { return o.values == stored_values::whole; }
  template <value V>
  static void replace_values(const cached_x_storage<V, exec::device_buffer>& stored,
                             const std::int64_t* row_ptr, const std::int64_t* permutation, const V* values,
                             cuda_stream);

  template <value V, offset O>
  static cached_x_storage<V, host_buffer> build(const csr_view<V, O>& a, const options& o,
                                                const exec::target& target) {
    return build_cached_x(a, choice_of<V>(o, target.kind));
  }
  template <value V>
  static constexpr bool can_build_on_device(const options&) {
    return true;
  }
  template <value V, offset O>
  static std::optional<cached_x_storage<V, exec::device_buffer>> build_on_device(
      const csr_view<V, O, device_space>& a, const row_statistics& statistics, const options& o,
      const exec::target& target);
  template <value V>
  static csr_matrix<V, std::int64_t> to_csr(const cached_x_storage<V, host_buffer>& stored) {
    return csr_of_cached_x(stored);
  }

  template <scalar_types S>
  static std::int64_t scratch(const cached_x_pointers<matrix_t<S>>& a) {
    return exec::scratch_values<sum_t<S>>(a.carries) + a.meta.frequent;  // cuda: x at frequent columns
  }
  template <scalar_types S>
  static cpu_passes<cached_x_pointers<matrix_t<S>>, S> passes(const cached_x_pointers<matrix_t<S>>&, isa);
  template <scalar_types S>
  static void launch(const cached_x_pointers<matrix_t<S>>&, const product<S>&, sum_t<S>*, cuda_stream);
  static constexpr std::int64_t columns_at_once = 16;
  static constexpr bool launches_packs = true;
  template <scalar_types S>
  static void launch_columns(const cached_x_pointers<matrix_t<S>>&, const columns_product<S>&, sum_t<S>*,
                             cuda_stream);

 private:
  template <value V>
  static constexpr cached_x_choice choice_of(const options& o, device_set kind) {
    const bool on_device = kind == device_set::cuda;
    return {.columns = o.columns,
            .cached = cached_columns<sizeof(V)>(o),
            .striped = on_device,
            .encodes = on_device && !replaces_values(o),
            .replaces = on_device && replaces_values(o)};
  }

  /// The number of columns of x that fit into cache_kib. A panel has at most cached_x_widest.
  template <std::size_t ValueBytes>
  static constexpr std::int64_t cached_columns(const options& o) {
    const std::int64_t fit = o.cache_kib * 1024 / static_cast<std::int64_t>(ValueBytes);
    return o.columns == cached_x_columns::panels ? std::min(fit, cached_x_widest) : fit;
  }

  /// An upper bound of the number of pieces: one for each row and panel, and one for each boundary of chunks.
  template <std::size_t ValueBytes>
  static std::int64_t pieces_bound(const row_statistics& s, const options& o) {
    const std::int64_t panels = panels_of(s, cached_columns<ValueBytes>(o), o.columns);
    const std::int64_t by_panels =
        s.rows > s.nnz / std::max<std::int64_t>(1, panels) ? s.nnz : s.rows * panels;
    return std::min(s.nnz, by_panels + s.nnz / cached_x_chunk + panels);
  }
  /// An upper bound of the number of slots. The last chunk of a panel is padded. Panels without entries have
  /// no chunk.
  template <std::size_t ValueBytes>
  static std::int64_t slots_bound(const row_statistics& s, const options& o) {
    const std::int64_t panels = panels_of(s, cached_columns<ValueBytes>(o), o.columns);
    return (s.nnz / cached_x_chunk + std::min(panels, s.nnz)) * cached_x_chunk;
  }
  static std::int64_t panels_of(const row_statistics& s, std::int64_t width, cached_x_columns columns) {
    return columns == cached_x_columns::panels ? (s.cols + width - 1) / width : 1;
  }
};

template <class V, offset O>
cached_x_footprint cached_x::measure(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                     const exec::target& target) {
  cached_x_footprint f = least(a, s, o, target);
  // An upper bound: the sizes are those of uncompressed values, with padding in each panel.
  if (o.columns == cached_x_columns::panels && !is_in_panel_order(a, cached_columns<sizeof(V)>(o)))
    f.bytes += slots_bound<sizeof(V)>(s, o) * static_cast<std::int64_t>(sizeof(std::int32_t));
  return f;
}

template <class V, offset O>
cached_x_footprint cached_x::least(const csr_view<V, O>& a, const row_statistics& s, const options& o,
                                   const exec::target&) {
  const std::int64_t cached = cached_columns<sizeof(V)>(o);
  const std::int64_t panels = panels_of(s, cached, o.columns);
  const std::int64_t slots = slots_bound<sizeof(V)>(s, o);
  const std::int64_t chunks = slots / cached_x_chunk;
  const std::int64_t pieces = pieces_bound<sizeof(V)>(s, o);
  const bool has_panels = o.columns == cached_x_columns::panels;
  const std::int64_t column_bytes = has_panels ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
  constexpr std::int64_t number = sizeof(std::int32_t);
  constexpr std::int64_t run = number + 2 * sizeof(std::int64_t);
  const std::int64_t shared_rows = std::min(s.rows, pieces / 2);
  cached_x_footprint f;
  f.bytes = slots * (static_cast<std::int64_t>(sizeof(V)) + column_bytes) + chunks * cached_x_lanes +
            (chunks + 1) * number + pieces * number * (replaces_values(o) ? 2 : 1) + s.empty * number +
            (has_panels ? panels + 1 : std::min(cached, s.cols)) * number + shared_rows * run;
  f.exact = false;
  const double of_sample =
      sampled_pieces_per_entry(a, has_panels ? cached : std::max<std::int64_t>(1, a.cols));
  f.pieces = std::min(static_cast<double>(pieces),
                      of_sample * static_cast<double>(s.nnz) + static_cast<double>(chunks));
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (pieces > most || chunks > most)
    f.refusal =
        message("up to {} pieces of rows in {} chunks; both are numbered in 31 bits", {pieces, chunks});
  else if (has_panels && s.max > most)
    f.refusal = message("a row of {} entries; with panels, they are numbered in 31 bits", {s.max});
  return f;
}

template <class V, offset O>
double cached_x::cost(const row_statistics& s, const options& o, const exec::target&, const machine& m,
                      const cached_x_footprint& size) {
  const double column_bytes = o.columns == cached_x_columns::panels ? 2 : 4;
  const double matrix = static_cast<double>(s.nnz) * (sizeof(V) + column_bytes + 0.125);
  // For each piece, its target is read, and its sum is written and read.
  return one_pass<V>(matrix + size.pieces * (4 + 2 * sizeof(V)), s, m);
}

}  // namespace gossamer::inline v0::formats
