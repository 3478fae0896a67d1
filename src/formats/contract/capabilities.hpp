// SPDX-License-Identifier: BSD-3-Clause
// The optional part of a format's contract. Each capability has a concept, the signature of the member that
// adds it, and the name of a format that has it. Generic code asks here and nowhere else.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

#include "exec/cuda/device_buffer.hpp"
#include "exec/epilogue.hpp"
#include "formats/contract/option_fields.hpp"
#include "formats/contract/storage.hpp"

namespace gossamer::inline v0::formats {

/// The stored form of one value depends on the others, for instance through a lookup table. build() takes
/// values alone, no entry numbers. On these devices update_values() builds again on the host
/// (docs/decisions/0012-recoding.md). The format keeps order and duplicates, and its storage does not depend
/// on O. Example: `bccoo`.
///   static constexpr device_set reencodes = device_set::both;
template <class F>
constexpr device_set reencodes_values() {
  if constexpr (requires { F::reencodes; })
    return F::reencodes;
  else
    return device_set::none;
}
/// Whether it does so on any device. Then no value map is built.
template <class F>
inline constexpr bool encodes_values = requires {
  F::reencodes;
};

/// A format that encodes values stores them as they are, with some options, and update_values() on a GPU
/// replaces them by a kernel, in a .cu file (docs/decisions/0012-recoding.md). Their places do not depend on
/// the values. for_new_values() sets such options where the caller left the choice. replace_values() is
/// asynchronous: entry k of row i, row_ptr[i] <= k < row_ptr[i + 1], becomes values[permutation[k]], or
/// values[k] if permutation is null. All pointers can be read on the device. Example: `packed`.
///   static options for_new_values(options, device_set kind);
///   static bool replaces_values(const options&);
///   template <value V> static void replace_values(const storage<V, O, exec::device_buffer>&,
///       const std::int64_t* row_ptr, const std::int64_t* permutation, const V* values, cuda_stream);
template <class F>
concept replaces_values_on_gpu = requires(const typename F::options& o, device_set kind) {
  { F::for_new_values(o, kind) } -> std::same_as<typename F::options>;
  { F::replaces_values(o) } -> std::same_as<bool>;
};

/// The options with which a plan is built whose values will change.
template <class F>
typename F::options options_for_new_values(const typename F::options& o, device_set kind) {
  if constexpr (replaces_values_on_gpu<F>)
    return F::for_new_values(o, kind);
  else
    return o;
}

/// The type of the values limits an option. fit_to_values() changes resolved options to those that the plan
/// has, so that settings with equal plans are equal. Example: `cached_x`.
///   template <value V> static options fit_to_values(options);
template <class F>
concept fits_options_to_values = requires(const typename F::options& o) {
  { F::template fit_to_values<double>(o) } -> std::same_as<typename F::options>;
};

/// The options of a plan with values V.
template <class F, value V>
typename F::options resolve_options(const typename F::options& o, const row_statistics& statistics,
                                    const exec::target& target) {
  typename F::options resolved = F::resolve(o, statistics, target);
  if constexpr (fits_options_to_values<F>) resolved = F::template fit_to_values<V>(resolved);
  return resolved;
}

/// Parses the texts of resolved options and resolves them again. Texts lack options of other kinds of device.
template <class F, value V, offset O>
typename F::options options_again(const option_texts& texts, const csr_view<V, O>& a,
                                  const exec::target& target) {
  return resolve_options<F, V>(parse_options<F>(texts, target.kind), measure_rows(a), target);
}

/// A plan's own matrix with new values, from which a format that reencodes is built again.
template <class F, value V>
csr_matrix<V, std::int64_t> with_values(csr_matrix<V, std::int64_t> a, const V* values) {
  static_assert(F::keeps.order && F::keeps.duplicates && F::keeps.explicit_zeros,
                "values are numbered as the caller numbers them");
  std::copy_n(values, a.val.size(), a.val.data());
  return a;
}

/// The lower bound of a footprint, in O(rows), for a format whose measure() reads all columns or values. A
/// format that cannot be the fastest is then not measured (docs/decisions/0019-least-bytes.md). Its predicted
/// time must not exceed that of the measured footprint. Example: `dia`.
///   template <class V, offset O>
///   static footprint_type<F, V> least(const csr_view<V, O>&, const row_statistics&, const options&,
///                                     const exec::target&);
template <class F, class V, class O>
concept bounds_footprint = requires(const csr_view<V, O>& a, const row_statistics& s,
                                    const typename F::options& o, const exec::target& t) {
  F::template least<V, O>(a, s, o, t);
};

/// least(), or else the bytes of the values alone. A format that reencodes values may store none of them.
template <class F, value V, offset O>
footprint_type<F, V> least_footprint(const csr_view<V, O>& a, const row_statistics& s,
                                     const typename F::options& o, const exec::target& t) {
  if constexpr (bounds_footprint<F, V, O>) {
    return F::template least<V, O>(a, s, o, t);
  } else {
    footprint_type<F, V> size;
    size.bytes = encodes_values<F> ? 0 : s.nnz * static_cast<std::int64_t>(sizeof(V));
    size.exact = false;
    return size;
  }
}

/// An estimate of measure() from a sample, for a format whose measure() encodes the whole matrix
/// (docs/decisions/0021-estimates.md). It has exact = false, and is not passed to build(). It refuses every
/// matrix that measure() refuses. A small matrix is measured instead. Example: `packed`.
///   template <class V, offset O>
///   static footprint_type<F, V> estimate(const csr_view<V, O>&, const row_statistics&, const options&,
///                                        const exec::target&);
template <class F, class V, class O>
concept estimates_by_sample = requires(const csr_view<V, O>& a, const row_statistics& s,
                                       const typename F::options& o, const exec::target& t) {
  F::estimate(a, s, o, t);
};

/// estimate(), or else measure().
template <class F, value V, offset O>
footprint_type<F, V> estimated_footprint(const csr_view<V, O>& a, const row_statistics& s,
                                         const typename F::options& o, const exec::target& t) {
  if constexpr (estimates_by_sample<F, V, O>)
    return F::estimate(a, s, o, t);
  else
    return F::measure(a, s, o, t);
}

/// A second build() that reuses what measure() found. Example: `bccoo`, whose footprint has its lookup table.
///   template <value V, offset O>
///   static storage<V, O, host_buffer> build(const csr_view<V, O>&, const options&, const exec::target&,
///                                           const footprint_type<F, V>& measured);
template <class F, class V, class O>
concept builds_from_footprint = requires(const csr_view<V, O>& a, const typename F::options& o,
                                         const exec::target& t, const footprint_type<F, V>& measured) {
  F::build(a, o, t, measured);
};

/// build() after measure(), in the form that the format has.
template <class F, value V, offset O>
auto build_measured(const csr_view<V, O>& a, const typename F::options& o, const exec::target& t,
                    const footprint_type<F, V>& measured) {
  if constexpr (builds_from_footprint<F, V, O>)
    return F::build(a, o, t, measured);
  else
    return F::build(a, o, t);
}

/// Builds on the device, in a .cu file. The matrix is in device memory, valid, and has entries. The arrays
/// equal those of build() byte for byte (docs/decisions/0016-building-on-devices.md). Synchronous; throws
/// out_of_memory. nullopt: build on the host instead. can_build_on_device() is asked first, with the options
/// as the caller gave them. Both are absent if build() must report a refusal. Example: `packed`.
///   template <value V> static bool can_build_on_device(const options&);
///   template <value V, offset O>
///   static std::optional<storage<V, O, exec::device_buffer>> build_on_device(
///       const csr_view<V, O, device_space>&, const row_statistics&, const options&, const exec::target&);
template <class F, class V, class O>
concept builds_on_device = requires(const csr_view<V, O, device_space>& a, const row_statistics& s,
                                    const typename F::options& o, const exec::target& t) {
  { F::template can_build_on_device<V>(o) } -> std::same_as<bool>;
  F::build_on_device(a, s, o, t);
};

/// On a GPU, measure() and build() read row_ptr, but no column and no value. The storage borrows the arrays
/// of columns and values. So for a matrix in device memory, the host needs row_ptr alone. Example: `csr`.
///   static constexpr bool builds_from_row_ptr = true;
template <class F>
constexpr bool builds_from_row_ptr() {
  if constexpr (requires { F::builds_from_row_ptr; })
    return F::builds_from_row_ptr;
  else
    return false;
}

/// Multiplies up to columns_at_once columns of X on a GPU, in a .cu file, and reads the matrix from memory as
/// few times as it can. Asynchronous; allocates nothing. Each column has the bits of launch(). alpha is not
/// 0, and x_step is less than 2^31 bytes. scratch: columns_at_once times that of scratch(), zero before the
/// first product.
/// Without it, columns are multiplied one by one. Example: `packed`.
///   static constexpr std::int64_t columns_at_once = 64;
///   template <scalar_types S, offset O>
///   static void launch_columns(const view<matrix_t<S>, O>&, const columns_product<S>&, sum_t<S>* scratch,
///                              cuda_stream);
template <class F, class View = view_of<F, double, std::int64_t>>
concept multiplies_columns_on_gpu = requires(const View& a, const columns_product<f64>& p, double* scratch,
                                             cuda_stream stream) {
  { F::columns_at_once } -> std::convertible_to<std::int64_t>;
  { F::launch_columns(a, p, scratch, stream) } -> std::same_as<void>;
};

/// launch_columns() runs the kernels of launch(), instantiated for packs of columns (exec/pack_products.hpp).
/// It takes every layout of X and Y, and any x_step. No thread block multiplies two packs. So the matrix is
/// read again for each pack, mostly from the L2 cache, and `auto` does not count these formats among those
/// that read it once. Example: `csr`.
///   static constexpr bool launches_packs = true;
template <class F>
concept multiplies_packs_on_gpu = multiplies_columns_on_gpu<F> && requires {
  requires F::launches_packs;
};

/// Multiplies X and Y whose rows are contiguous by several columns at once, on a CPU: passes() and scratch()
/// are instantiated for packs too (core/pack.hpp). Each column has the bits of a single product. Without it,
/// columns are copied. Example: `csr`.
///   static constexpr bool multiplies_packs = true;
template <class F>
concept multiplies_packs_on_cpu = requires {
  requires F::multiplies_packs;
};

/// An option stores values in fewer bits. It is lossy, so it is never a default and never in candidates().
/// rounds_to() names the narrower type, or is empty if values are stored as they are. Products and to_csr()
/// have the rounded values. The format reencodes. The generic code is in formats/contract/rounding.hpp.
/// Example: `packed`.
///   template <value V> static std::string_view rounds_to(const options&);
///   template <value V> static V rounded(V, const options&);
template <class F, class V>
concept rounds_values = requires(V v, const typename F::options& o) {
  { F::template rounds_to<V>(o) } -> std::convertible_to<std::string_view>;
  { F::rounded(v, o) } -> std::same_as<V>;
};

/// An option gives up reproducible sums. Example: `coo`, whose `accumulate` may be atomic.
///   static constexpr bool deterministic(const options&);
template <class F>
constexpr bool deterministic(const typename F::options& o) {
  if constexpr (requires { F::deterministic(o); })
    return F::deterministic(o);
  else
    return true;
}

/// The number of values that the storage has twice, once for a kernel that reads only its own copy. Example:
/// `pattern_csr`.
///   template <class Stored> static std::int64_t duplicated_values(const Stored&);
template <class F, class Storage>
std::int64_t count_duplicated_values(const Storage& stored) {
  if constexpr (requires { F::duplicated_values(stored); })
    return F::duplicated_values(stored);
  else
    return 0;
}

/// The number of columns that the storage has twice. Example: `pattern_csr`.
///   template <class Stored> static std::int64_t duplicated_columns(const Stored&);
template <class F, class Storage>
std::int64_t duplicated_columns(const Storage& stored) {
  if constexpr (requires { F::duplicated_columns(stored); })
    return F::duplicated_columns(stored);
  else
    return 0;
}

/// An option limits padding; a composite passes its limit on to its parts. Example: `ellpack`.
///   std::int64_t max_padding;  of the options
template <class Options>
concept limits_padding = requires(const Options& o) {
  { o.max_padding } -> std::convertible_to<std::int64_t>;
};

/// A function for any part of a composite.
struct any_part {
  template <class Part, class Copy>
  void operator()(const Part&, Copy&) const {}
};

/// A storage made of the storages of other formats, its parts (docs/decisions/0010-parts.md). arrays() lists
/// the parts' arrays too. formats/common/parts.hpp has functions for composites. Example: `hyb`.
///   template <class From, class To, class F>
///   static void parts(const From& from, To& to, F&& f) { f(from.head, to.head); ... }
template <class From, class To = From>
concept composite = requires(const From& from, To& to) {
  From::parts(from, to, any_part{});
};

/// Products with an epilogue on a GPU, in a .cu file: launch() whose kernels finish their rows by
/// p.finish_row(). Example: `csr`.
///   template <scalar_types S, offset O>
///   static void launch_with_epilogue(const view<matrix_t<S>, O>&, const product<exec::with_epilogue<S>>&,
///                                    sum_t<S>* scratch, cuda_stream);
template <class F, class View = view_of<F, double, std::int64_t>>
concept finishes_rows_on_gpu = requires(const View& a, const product<exec::with_epilogue<f64>>& p) {
  F::template launch_with_epilogue<f64>(a, p, static_cast<double*>(nullptr), cuda_stream());
};

/// Such kernels also store partial dot products (exec/cuda/kernel/finished_rows.cuh), so many of this matrix.
/// 0: a kernel behind the product finishes its rows, if there are dot products. Example: `packed`.
///   template <value V> static std::int64_t dot_parts(const view<V, O>&);
template <class F, class View = view_of<F, double, std::int64_t>>
concept leaves_dot_parts = requires(const View& a) {
  { F::dot_parts(a) } -> std::same_as<std::int64_t>;
};

}  // namespace gossamer::inline v0::formats
