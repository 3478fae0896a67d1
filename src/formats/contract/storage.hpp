// SPDX-License-Identifier: BSD-3-Clause
// The required part of a format's contract: description, options, storage, conversion back and product.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/entry_number.hpp"
#include "exec/cpu/work_stealing.hpp"
#include "exec/product.hpp"
#include "exec/reduction/carries.hpp"
#include "exec/target.hpp"
#include "formats/contract/option_fields.hpp"
#include "gossamer/format_info.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::formats {

/// The memory of a format's storage, determined before it is built. measure() may return a derived type, with
/// members for the format's own build() and cost model. Example: `packed_footprint`.
struct footprint {
  std::int64_t bytes = 0;  ///< 2^63 - 1 if the number is larger
  bool exact = true;       ///< false: a bound or an estimate, by the function
  std::string refusal;     ///< why this matrix is refused; empty if it is accepted
};

/// Return type of F::measure() for values V: footprint, or a type derived from it.
template <class F, value V>
using footprint_type = decltype(F::measure(
    std::declval<const csr_view<V, std::int64_t>&>(), std::declval<const row_statistics&>(),
    std::declval<const typename F::options&>(), std::declval<const exec::target&>()));

/// The view of a storage, as kernels take it by value: `meta` and raw pointers.
template <class F, class V, class O>
using view_of = decltype(std::declval<const typename F::template storage<V, O, host_buffer>&>().view());

/// Offset type with which build() is instantiated. If the storage does not depend on O, this is int64, so
/// build() is instantiated once instead of for int32 and int64. Otherwise it is O.
template <class F, offset O>
using build_offset =
    std::conditional_t<std::is_same_v<typename F::template storage<double, O, host_buffer>,
                                      typename F::template storage<double, std::int64_t, host_buffer>>,
                       std::int64_t, O>;

/// One pass of a CPU product. It is cut into work units of about equal weight. The cuts depend on the matrix
/// and the options alone, never on the number of threads.
template <class View, class S>
struct cpu_pass {
  /// Multiplies units [first_unit, last_unit) serially. Calls come for any ranges, in any order. A call does
  /// not allocate or lock.
  std::function<void(const View& a, const product<S>& p, std::int64_t first_unit, std::int64_t last_unit,
                     sum_t<S>* scratch)>
      run;
  std::int64_t units = 0;
  exec::carry_view carries;  ///< for rows that units share; their slots are in the scratch
  /// units + 1 prefix sums of the units' costs, in any measure; null if all units cost the same.
  const std::int64_t* cost = nullptr;
  /// Units that run() processes together. A range that runs backwards is cut at multiples of this number.
  std::int64_t units_together = 1;
  /// Units that take longer than waking another thread for them.
  std::int64_t min_units_per_thread = 2;
  /// Numbers of threads for which idle threads take units of busy ones; at most
  /// exec::work_stealing_units::most_threads.
  exec::thread_counts stealing_threads{};
  /// False for a pass that only prepares scratch. The first pass that writes rows writes every row; later
  /// passes run with beta = 1.
  bool writes_rows = true;
  /// units + 1 rows, if a pass writes all rows alone, each row once, and unit u those of [first_row[u],
  /// first_row[u + 1]). Rows of carries are exceptions: they lie at the cuts. Null: rows of units are not
  /// known, and an epilogue is computed behind the product.
  const std::int32_t* first_row = nullptr;
  /// Scratch, in sums, before that of this pass. run() and the carries get a pointer behind them.
  std::int64_t scratch = 0;
};

template <class View, class S>
using cpu_passes = std::vector<cpu_pass<View, S>>;

/// A function for any array of a storage.
struct any_array {
  template <class Array>
  void operator()(const char*, const Array&) const {}
};

/// A storage is a `meta` and arrays. Each array is listed once:
///   template <class Self, class F> static void arrays(Self& self, F&& f) { f("col", self.col); ... }
/// Arrays whose elements are T hold the values; update_values() refreshes exactly those.
template <class S>
concept storage_arrays = requires(const S& stored) {
  S::arrays(stored, any_array{});
  requires std::is_trivially_copyable_v<decltype(stored.view())>;
  requires std::is_trivially_copyable_v<decltype(stored.meta)>;
};

/// The product on a CPU, in cpu.cpp:
///   template <scalar_types S, offset O>
///   static cpu_passes<view<matrix_t<S>, O>, S> passes(const view<matrix_t<S>, O>&, isa);
/// With beta = 1, rows without entries need not be written.
template <class F, class View = view_of<F, double, std::int64_t>>
concept multiplies_on_cpu = requires(const View& a) {
  { F::template passes<f64>(a, isa{}) } -> std::same_as<cpu_passes<View, f64>>;
};

/// The product on a GPU, in gpu.cu. Asynchronous; allocates nothing:
///   template <scalar_types S, offset O>
///   static void launch(const view<matrix_t<S>, O>&, const product<S>&, sum_t<S>* scratch, cuda_stream);
template <class F, class View = view_of<F, double, std::int64_t>>
concept multiplies_on_gpu = requires(const View& a, const product<f64>& p, double* scratch,
                                     cuda_stream stream) {
  { F::launch(a, p, scratch, stream) } -> std::same_as<void>;
};

/// Instantiates passes() in cpu.cpp, launch() in gpu.cu, and launch_columns() where there is one, for all
/// scalars. O: a type that build_offset is.
#define GOSSAMER_INSTANTIATE_PASSES(F, O) GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_PASSES_INSTANCE, F, O)
#define GOSSAMER_INSTANTIATE_LAUNCH(F, O) GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_LAUNCH_INSTANCE, F, O)
#define GOSSAMER_INSTANTIATE_LAUNCH_COLUMNS(F, O) GOSSAMER_FOR_EACH_SCALARS(GOSSAMER_COLUMNS_INSTANCE, F, O)
#define GOSSAMER_PASSES_INSTANCE(S, F, O) \
  template cpu_passes<view_of<F, S::matrix, O>, S> F::passes<S>(const view_of<F, S::matrix, O>&, isa);
#define GOSSAMER_LAUNCH_INSTANCE(S, F, O) \
  template void F::launch(const view_of<F, S::matrix, O>&, const product<S>&, S::accumulator*, cuda_stream);
#define GOSSAMER_COLUMNS_INSTANCE(S, F, O)                                                    \
  template void F::launch_columns(const view_of<F, S::matrix, O>&, const columns_product<S>&, \
                                  S::accumulator*, cuda_stream);

/// The members that every format has. A format is a stateless struct F; all members are static. Functions of
/// a matrix are templates over the value type V and the offset type O. Example:
/// docs/guides/adding-a-format.md.
template <class F>
concept storage_format =
    requires(const row_statistics& s, const exec::target& t, const typename F::options& o,
             const csr_view<double, std::int64_t>& a,
             const typename F::template storage<double, std::int64_t, host_buffer>& stored) {
  // The name in options and tables, the paper or page it comes from, and one line of help.
  { F::name } -> std::convertible_to<std::string_view>;
  { F::source } -> std::convertible_to<std::string_view>;
  { F::help } -> std::convertible_to<std::string_view>;
  // The kinds of device with a product, and what to_csr(build(a)) keeps besides the entries.
  { F::devices } -> std::convertible_to<device_set>;
  { F::keeps } -> std::convertible_to<kept>;
  // Options without "auto". Throws invalid_argument or unsupported if they make no sense on the target.
  { F::resolve(o, s, t) } -> std::same_as<typename F::options>;
  // Options worth timing.
  { F::candidates(s, t) } -> std::same_as<std::vector<typename F::options>>;
  // The memory that build() would take, for resolved options.
  { F::measure(a, s, o, t) } -> std::derived_from<footprint>;
  // template <class T, offset O> static storage<T, O, host_buffer> build(const csr_view<T, O>&, ...);
  // T is a value type or entry_number<V>: T is only copied and default-constructed (for padding). Parallel;
  // the threads that will read an array write it first. The result may borrow col and val, and row_ptr if the
  // storage depends on O.
  { F::build(a, o, t) } -> std::same_as<typename F::template storage<double, std::int64_t, host_buffer>>;
  requires storage_arrays<typename F::template storage<double, std::int64_t, host_buffer>>;
  // The matrix back, with int64 offsets.
  { F::to_csr(stored) } -> std::same_as<csr_matrix<double, std::int64_t>>;
  // Scratch memory that one product needs, in sums.
  { F::template scratch<f64>(stored.view()) } -> std::same_as<std::int64_t>;
  requires !contains(F::devices, device_set::cpu) || multiplies_on_cpu<F>;
  requires !contains(F::devices, device_set::cuda) || multiplies_on_gpu<F>;
};

}  // namespace gossamer::inline v0::formats
