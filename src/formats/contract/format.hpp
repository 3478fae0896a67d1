// SPDX-License-Identifier: BSD-3-Clause
// The contract of a storage format: what a tag in formats/<name>/format.hpp must have, and the types it is
// stated in.
//
// A format is a stateless struct F. Everything else (plans, command line, tests, benchmarks) is generic over
// it.
//
//   static constexpr std::string_view name, source, help;
//   static constexpr device_set devices;
//   static constexpr kept keeps;                 what to_csr(build(a)) keeps beside the entries
//   struct options { ...; static void fields(self, f); };                            see option_fields.hpp
//   static options resolve(options, const row_statistics&, const exec::target&);     no "auto" is left;
//       throws invalid_argument or unsupported for a combination that makes no sense on the target
//   static std::vector<options> candidates(const row_statistics&, const exec::target&);   worth timing
//   template <class V, offset O>
//   static footprint measure(const csr_view<V, O>&, const row_statistics&, const options&, const
//   exec::target&);
//       what build() would hold, before anything is allocated, and whether the format refuses; options are
//       resolved
// and, where that reads all columns or values:
//   template <class V, offset O>
//   static footprint least(const csr_view<V, O>&, const row_statistics&, const options&, const
//   exec::target&);
//       measure() says no fewer bytes, as far as a sample tells; what it finds is for cpu_work() alone.
//       O(rows) at most: so a format that cannot be the fastest need not measure. One that has none stores
//       every value, or reencodes. What cost(), cpu_work() and gpu_work() make of such a footprint, with
//       nothing prepared, is to be no more than what they make of the measured one
// and, where measure() codes all of a matrix to know what it would store, and a part of the matrix tells it
// nearly as well:
//   template <class V, offset O>
//   static footprint estimate(const csr_view<V, O>&, const row_statistics&, const options&, const
//   exec::target&);
//       what measure() would say, by a sample of it (exact = false); of a matrix that is hardly larger than
//       one, what it says. What is prepared is for cpu_work() and gpu_work() alone, not for build(). It
//       accepts nothing that measure() refuses
//   template <class V, offset O>
//   static double cost(const row_statistics&, const options&, const exec::target&, const machine&);   seconds;
//       or with a last parameter const footprint&, what measure() said, where the statistics do not tell what
//       is stored. Linear, as roofline() has it: bytes over the bandwidth, plus the passes of a product on a
//       CPU by what starting one takes, and nothing else. On a GPU it is asked with 1 GB/s and starts of no
//       time, and taken for the bytes; what kernels take beside them is gpu_work's.
// and, where the CPU's instructions are not those that core_work has unless it is told:
//   static constexpr core_work work(const options&);                         or, where it is what is stored
//       that decides,
//   template <value V> static core_work cpu_work(const row_statistics&, const options&, const exec::target&,
//   const footprint&);
// and, where it runs on GPUs and its kernel takes there, beside moving the bytes that cost() counts,
// something else than device_work has unless it is told:
//   static device_work gpu_work(const row_statistics&, const options&);     or, where the statistics do not
//       tell what is stored,
//   template <value V> static device_work gpu_work(const row_statistics&, const options&, const footprint&);
//   template <class T, offset O, template <class> class Buffer> using storage = ...;
//   template <class T, offset O>
//   static storage<T, O, host_buffer> build(const csr_view<T, O>&, const options&, const exec::target&);
//       T is a value type or entry_number<V>: only a T's default (padding) and copies of a T may be used.
//       Parallel, and arrays are first written by the threads that will read them. col and val may be
//       borrowed, and row_ptr where the storage depends on O: else it may be a temporary (build_offset).
//   template <value V, offset O>
//   static csr_matrix<V, std::int64_t> to_csr(const storage<V, O, host_buffer>&);
//   template <value V, offset O> static std::int64_t scratch(const view<V, O>&);        values that a product
//       needs
//   template <value V, offset O> static cpu_passes<view<V, O>, V> passes(const view<V, O>&, isa);       in
//       cpu.cpp
//   template <value V, offset O>
//   static void launch(const view<V, O>&, const product<V>&, V* scratch, cuda_stream);                  in
//       gpu.cu
// and, where what is stored for one value depends on the others (a table of those that are frequent, say):
//   static constexpr bool reencodes = true;        build() takes values alone, no entry numbers;
//                                                  update_values builds again, on the host
//       (docs/decisions/0012-recoding.md). The format keeps order and duplicates, and its storage does not
//       depend on O.
// and, where an option has values stored in fewer bits (lossy: asked for by name alone, never a default, in
// candidates() or chosen):
//   template <value V> static std::string_view rounds_to(const options&);     the narrower type; empty where
//       values are stored as they are
//   template <value V> static V rounded(V, const options&);                   what is stored of one value, of
//       any Products and to_csr() have the rounded values, which is what tests compare with
//       (plan::stored_values). Generic code refuses a matrix with a value that would become infinite, and
//       says what is lost (formats/contract/rounding.hpp). The format reencodes.
// and, where measure() finds what build() would have to find again:
//   static ... build(csr, options, target, const footprint&);    beside the other; is given what measure()
//       said
// and, where a matrix whose arrays are in a device's memory can be built there:
//   template <value V, offset O> static std::optional<storage<V, O, exec::device_buffer>>
//   build_on_device(const csr_view<V, O, device_space>&, const row_statistics&, const options&, const exec::target&);       in
//       a .cu what build() makes and upload copies, bit for bit (docs/decisions/0016-building-on-devices.md);
//       the matrix is valid and has entries. Absent where build() has to say that it refuses. Synchronous;
//       throws out_of_memory.
//   template <value V> static bool can_build_on_device(const options&);      asked before, with options as
//       they are given
//
// where view<V, O> is the POD that storage<V, O, Buffer>::view() returns: `meta` and raw pointers, taken by
// kernels by value. A storage is a `meta` (trivially copyable) and arrays, listed once:
//   template <class Self, class F> static void arrays(Self& self, F&& f) { f("row_ptr", self.row_ptr); ... }
// Arrays whose elements are T are the values; update_values refreshes those and no others.
// A composite's storage holds its parts' storages and lists them beside (formats/common/parts.hpp;
// docs/decisions/0010-parts.md):
//   template <class From, class To, class F> static void parts(const From& from, To& to, F&& f) {
//   f(from.head, to.head); ... }
//
// A CPU product is a list of passes. A pass is cut into units of about equal weight; the cuts depend on the
// matrix and the options alone. Its kernel multiplies units [first, last) serially. The first pass that
// writes rows writes every row; the plan runs later ones with beta = 1. A pass before it may prepare the
// scratch (cpu_pass::writes_rows = false). With beta = 1 neither passes nor launch() need to write rows
// without entries. Where units share rows, the pass names its carries (exec/reduction/carries.hpp), whose
// slots are the scratch.
// launch() does all of a product on the device, asynchronously, without allocation.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/entry_number.hpp"
#include "exec/cpu/work_stealing.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "exec/product.hpp"
#include "exec/reduction/carries.hpp"
#include "exec/target.hpp"
#include "formats/contract/device_work.hpp"
#include "formats/contract/option_fields.hpp"
#include "gossamer/format_info.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::formats {

struct footprint {
  std::int64_t bytes = 0;  ///< 2^63 - 1 where the number would be larger
  bool exact = true;       ///< false: an upper bound, or what estimate() says
  std::string refusal;     ///< why this matrix is refused; empty where it is not
  std::vector<std::uint64_t>
      found;  ///< for the format's own build() and cpu_work(): some words, of its own meaning
  /// For its build(), cpu_work() and gpu_work(): what it made to measure, of this matrix, these options and
  /// this device; null where nothing was measured
  std::shared_ptr<const void> prepared{};
};

/// What a product on a CPU takes beside moving bytes and multiplying: the time from call to start, and of
/// each further pass. Those of core_work were fitted beside these. A GPU's starts are in device_work.
struct start_times {
  double first_seconds = 2e-6;
  double next_seconds = 1.5e-6;
};

/// What a prediction needs to know of the machine.
struct machine {
  double bandwidth_gbs = 0;  ///< copy bandwidth, bytes read plus bytes written
  start_times starts;        ///< of a CPU
  int cores = 1;             ///< of a CPU, that share the work
};

/// What one core of a CPU does for a product beside waiting for bytes, in nanoseconds. As it stands: what
/// most formats were found to take on a Zen 4 with AVX-512 (docs/tuning.md).
struct core_work {
  double slot_ns = 0.45;  ///< for each value that is multiplied
  double row_ns = 0;
  /// For each entry times row_statistics::spread: 1 where every entry's part of x is its own. Fetching it is
  /// the same for all formats, except for those that lose more where columns are scattered.
  double jump_ns = 0.5;
  bool pads = true;  ///< padding is multiplied too
};

template <class F, value V>
core_work work_of(const row_statistics& s, const typename F::options& o, const exec::target& t,
                  const footprint& size) {
  if constexpr (requires { F::template cpu_work<V>(s, o, t, size); })
    return F::template cpu_work<V>(s, o, t, size);
  else if constexpr (requires { F::work(o); })
    return F::work(o);
  else
    return {};
}

/// Of all cores together, for storage of so many bytes.
inline double core_seconds(const core_work& w, const row_statistics& s, std::size_t value_bytes,
                           std::int64_t bytes) {
  const auto nnz = static_cast<double>(s.nnz);
  const double held = static_cast<double>(bytes) / static_cast<double>(value_bytes + sizeof(std::int32_t));
  const double slots = w.pads ? std::max(nnz, held) : nnz;
  return (slots * w.slot_ns + static_cast<double>(s.rows) * w.row_ns + nnz * s.spread * w.jump_ns) * 1e-9;
}

/// The time that moving `bytes` and, on a CPU, starting `passes` passes takes.
inline double roofline(double bytes, int passes, const machine& m) {
  return m.starts.first_seconds + (passes - 1) * m.starts.next_seconds + bytes / (m.bandwidth_gbs * 1e9);
}

/// The same of one pass that reads so many bytes of the matrix, x, and writes y.
template <class V>
double one_pass(double bytes, const row_statistics& s, const machine& m) {
  return roofline(bytes + static_cast<double>(s.rows + s.cols) * sizeof(V), 1, m);
}

template <class F, class V, class O>
concept costs_by_footprint = requires(const row_statistics& s, const typename F::options& o,
                                      const exec::target& t, const machine& m, const footprint& size) {
  { F::template cost<V, O>(s, o, t, m, size) } -> std::same_as<double>;
};

template <class F, value V>
device_work device_work_of(const row_statistics& s, const typename F::options& o, const footprint& size) {
  if constexpr (requires { F::template gpu_work<V>(s, o, size); })
    return F::template gpu_work<V>(s, o, size);
  else if constexpr (requires { F::gpu_work(s, o); })
    return F::gpu_work(s, o);
  else
    return {};
}

/// What cost() says, whichever of its two forms the format has.
template <class F, value V, offset O>
double cost_of(const row_statistics& s, const typename F::options& o, const exec::target& t, const machine& m,
               const footprint& size) {
  if constexpr (costs_by_footprint<F, V, O>)
    return F::template cost<V, O>(s, o, t, m, size);
  else
    return F::template cost<V, O>(s, o, t, m);
}

/// On a CPU what cost() says and the work beside it; on a GPU what the kernel makes of the bytes.
template <class F, value V, offset O>
double predict_seconds(const row_statistics& s, const typename F::options& o, const exec::target& t,
                       const machine& m, const footprint& size) {
  if (t.kind == device_set::cpu)
    return cost_of<F, V, O>(s, o, t, m, size) +
           core_seconds(work_of<F, V>(s, o, t, size), s, sizeof(V), size.bytes) / m.cores;
  const machine of_one_gb_per_second{.bandwidth_gbs = 1, .starts = {.first_seconds = 0, .next_seconds = 0}};
  const double bytes = cost_of<F, V, O>(s, o, t, of_one_gb_per_second, size) * 1e9;
  return device_seconds(device_work_of<F, V>(s, o, size), s, bytes, m.bandwidth_gbs);
}

template <class View, class V>
struct cpu_pass {
  /// Made once, with the plan; a call neither allocates nor locks. It is for any part of the units, in any
  /// order of the parts.
  std::function<void(const View& a, const product<V>& p, std::int64_t first_unit, std::int64_t last_unit,
                     V* scratch)>
      run;
  std::int64_t units = 0;
  exec::carry_view carries;
  /// units + 1: what the units before each one take, in any measure; null where all take the same.
  const std::int64_t* cost = nullptr;
  /// That run() takes together where it is given them: a part that it is given to go backwards is a multiple
  /// of so many.
  std::int64_t units_together = 1;
  std::int64_t min_units_per_thread =
      2;  ///< units that take longer than waking the thread that would take them over
  /// Of how many threads one that is done takes over units of others; at most
  /// exec::work_stealing_units::most_threads.
  exec::thread_counts stealing_threads{};
  /// False of a pass that writes scratch alone, for the passes behind it.
  bool writes_rows = true;
  /// Values of scratch before those of this pass: run() and the carries are given what begins there.
  std::int64_t scratch = 0;
};

template <class View, class V>
using cpu_passes = std::vector<cpu_pass<View, V>>;

template <class F, class V, class O>
using view_of = decltype(std::declval<const typename F::template storage<V, O, host_buffer>&>().view());

/// Offset type with which build() is instantiated. If the storage does not depend on O, this is int64, so
/// build() is instantiated once instead of for int32 and int64. Otherwise it is O.
template <class F, offset O>
using build_offset =
    std::conditional_t<std::is_same_v<typename F::template storage<double, O, host_buffer>,
                                      typename F::template storage<double, std::int64_t, host_buffer>>,
                       std::int64_t, O>;

/// Whether what is stored for one value depends on the others, so that new values need a new build.
template <class F>
constexpr bool reencodes_values() {
  if constexpr (requires { F::reencodes; })
    return F::reencodes;
  else
    return false;
}

template <class F, class V, class O>
concept samples_footprint = requires(const csr_view<V, O>& a, const row_statistics& s,
                                     const typename F::options& o, const exec::target& t) {
  { F::template least<V, O>(a, s, o, t) } -> std::same_as<footprint>;
};

/// What measure() would say at least.
template <class F, value V, offset O>
footprint least_footprint(const csr_view<V, O>& a, const row_statistics& s, const typename F::options& o,
                          const exec::target& t) {
  if constexpr (samples_footprint<F, V, O>)
    return F::template least<V, O>(a, s, o, t);
  else
    return {.bytes = reencodes_values<F>() ? 0 : s.nnz * static_cast<std::int64_t>(sizeof(V)),
            .exact = false};
}

/// What measure() says, or nearly so, in less time where the format can.
template <class F, value V, offset O>
footprint estimated_footprint(const csr_view<V, O>& a, const row_statistics& s, const typename F::options& o,
                              const exec::target& t) {
  if constexpr (requires { F::estimate(a, s, o, t); })
    return F::estimate(a, s, o, t);
  else
    return F::measure(a, s, o, t);
}

/// What build() makes after `measured` was found, whichever of its two forms the format has.
template <class F, class T, offset O>
auto build_measured(const csr_view<T, O>& a, const typename F::options& o, const exec::target& target,
                    const footprint& measured) {
  if constexpr (requires { F::build(a, o, target, measured); })
    return F::build(a, o, target, measured);
  else
    return F::build(a, o, target);
}

template <class F, class V, class O>
concept builds_on_device = requires(const csr_view<V, O, device_space>& a, const row_statistics& s,
                                    const typename F::options& o, const exec::target& t) {
  F::build_on_device(a, s, o, t);
};

/// The options that the texts of resolved ones name, resolved again: texts have nothing of options that
/// belong to another kind of device.
template <class F, value V, offset O>
typename F::options options_again(const option_texts& texts, const csr_view<V, O>& a,
                                  const exec::target& target) {
  return F::resolve(parse_options<F>(texts, target.kind), measure_rows(a), target);
}

/// A plan's own matrix with other values, of which build() makes the storage again: how a format that
/// reencodes takes new ones.
template <class F, value V>
csr_matrix<V, std::int64_t> with_values(csr_matrix<V, std::int64_t> a, const V* values) {
  static_assert(F::keeps.order && F::keeps.duplicates && F::keeps.explicit_zeros,
                "values are numbered as the caller numbers them");
  std::copy_n(values, a.val.size(), a.val.data());
  return a;
}

/// Values that the storage holds a second time, laid out for a kernel that then reads only one of the two
/// copies.
template <class F, class Storage>
std::int64_t count_duplicated_values(const Storage& stored) {
  if constexpr (requires { F::duplicated_values(stored); })
    return F::duplicated_values(stored);
  else
    return 0;
}

/// The same of columns.
template <class F, class Storage>
std::int64_t duplicated_columns(const Storage& stored) {
  if constexpr (requires { F::duplicated_columns(stored); })
    return F::duplicated_columns(stored);
  else
    return 0;
}

/// The parts of the contract that the compiler can check before it meets a missing one in the middle of a
/// plan.
template <class F>
concept format = requires(const row_statistics& s, const exec::target& t, const typename F::options& o,
                          const csr_view<double, std::int64_t>& a, const machine& m,
                          const typename F::template storage<double, std::int64_t, host_buffer>& stored) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::source } -> std::convertible_to<std::string_view>;
  { F::help } -> std::convertible_to<std::string_view>;
  { F::devices } -> std::convertible_to<device_set>;
  { F::keeps } -> std::convertible_to<kept>;
  { F::resolve(o, s, t) } -> std::same_as<typename F::options>;
  { F::candidates(s, t) } -> std::same_as<std::vector<typename F::options>>;
  { F::measure(a, s, o, t) } -> std::same_as<footprint>;
  { predict_seconds<F, double, std::int64_t>(s, o, t, m, footprint{}) } -> std::same_as<double>;
  { F::build(a, o, t) } -> std::same_as<typename F::template storage<double, std::int64_t, host_buffer>>;
  { F::to_csr(stored) } -> std::same_as<csr_matrix<double, std::int64_t>>;
  { F::scratch(stored.view()) } -> std::same_as<std::int64_t>;
  requires std::is_trivially_copyable_v<decltype(stored.view())>;
  requires std::is_trivially_copyable_v<decltype(stored.meta)>;
};

}  // namespace gossamer::inline v0::formats
