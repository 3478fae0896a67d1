// SPDX-License-Identifier: BSD-3-Clause
// The cost model of a format's contract: the predicted time of one product.
//
// A format has cost(), the time to move its bytes. It may also describe its instructions on a CPU (work() or
// cpu_work()) and its kernel on a GPU (gpu_work()). These return its lines of the tables in constants/. The
// defaults fit most formats. See docs/notes/tuning.md.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "exec/target.hpp"
#include "formats/contract/constants/zen4.hpp"
#include "formats/contract/device_work.hpp"
#include "formats/contract/storage.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/statistics.hpp"

namespace gossamer::inline v0::formats {

/// Properties of the machine that a prediction needs.
struct machine {
  double bandwidth_gbs = 0;           ///< copy bandwidth, bytes read plus bytes written
  start_times starts = zen4::starts;  ///< of a CPU; those of a GPU are in device_work
  int cores = 1;                      ///< of a CPU, that share the work
};

/// The time to move `bytes` and, on a CPU, to start `passes` passes.
inline double roofline(double bytes, int passes, const machine& m) {
  return m.starts.first_seconds + (passes - 1) * m.starts.next_seconds + bytes / (m.bandwidth_gbs * 1e9);
}

/// roofline() of one pass that reads `bytes` of the matrix, reads x and writes y.
template <class V>
double one_pass(double bytes, const row_statistics& s, const machine& m) {
  return roofline(bytes + static_cast<double>(s.rows + s.cols) * sizeof(V), 1, m);
}

/// The cost depends on the stored bytes, which the statistics do not determine. Example: `sliced_ell`.
///   template <class V, offset O>
///   static double cost(const row_statistics&, const options&, const exec::target&, const machine&,
///                      const footprint_type<F, V>&);
template <class F, class V, class O>
concept costs_by_footprint = requires(const row_statistics& s, const typename F::options& o,
                                      const exec::target& t, const machine& m,
                                      const footprint_type<F, V>& size) {
  { F::template cost<V, O>(s, o, t, m, size) } -> std::same_as<double>;
};

/// The cost follows from the statistics. Example: `csr`.
///   template <class V, offset O>
///   static double cost(const row_statistics&, const options&, const exec::target&, const machine&);
template <class F, class V, class O>
concept costs_by_statistics = requires(const row_statistics& s, const typename F::options& o,
                                       const exec::target& t, const machine& m) {
  { F::template cost<V, O>(s, o, t, m) } -> std::same_as<double>;
};

/// A format whose products can be predicted: it has cost() in one of its two forms.
template <class F>
concept predictable_format =
    costs_by_footprint<F, double, std::int64_t> || costs_by_statistics<F, double, std::int64_t>;

/// cost(): seconds to move the bytes and to start the passes on a CPU. It is linear, as roofline() is. On a
/// GPU it is called with 1 GB/s and without start-up times, and the result is taken as bytes.
template <predictable_format F, value V, offset O>
double cost_of(const row_statistics& s, const typename F::options& o, const exec::target& t, const machine& m,
               const footprint_type<F, V>& size) {
  if constexpr (costs_by_footprint<F, V, O>)
    return F::template cost<V, O>(s, o, t, m, size);
  else
    return F::template cost<V, O>(s, o, t, m);
}

/// Instructions on a CPU that depend on the stored data. Example: `packed`.
///   template <value V>
///   static core_work cpu_work(const row_statistics&, const options&, const exec::target&,
///                             const footprint_type<F, V>&);
template <class F, class V>
concept cpu_work_by_footprint = requires(const row_statistics& s, const typename F::options& o,
                                         const exec::target& t, const footprint_type<F, V>& size) {
  { F::template cpu_work<V>(s, o, t, size) } -> std::same_as<core_work>;
};

/// Instructions on a CPU that depend on the options alone. Example: `csr`.
///   static constexpr core_work work(const options&);
template <class F>
concept cpu_work_by_options = requires(const typename F::options& o) {
  { F::work(o) } -> std::convertible_to<core_work>;
};

/// The format's instructions on a CPU, or the defaults.
template <class F, value V>
core_work work_of(const row_statistics& s, const typename F::options& o, const exec::target& t,
                  const footprint_type<F, V>& size) {
  if constexpr (cpu_work_by_footprint<F, V>)
    return F::template cpu_work<V>(s, o, t, size);
  else if constexpr (cpu_work_by_options<F>)
    return F::work(o);
  else
    return zen4::defaults;
}

/// A GPU kernel whose time depends on the stored data. Example: `dia`.
///   template <value V>
///   static device_work gpu_work(const row_statistics&, const options&, const footprint_type<F, V>&);
template <class F, class V>
concept gpu_work_by_footprint = requires(const row_statistics& s, const typename F::options& o,
                                         const footprint_type<F, V>& size) {
  { F::template gpu_work<V>(s, o, size) } -> std::same_as<device_work>;
};

/// A GPU kernel whose time follows from the statistics. Example: `csr`.
///   static device_work gpu_work(const row_statistics&, const options&);
template <class F>
concept gpu_work_by_statistics = requires(const row_statistics& s, const typename F::options& o) {
  { F::gpu_work(s, o) } -> std::same_as<device_work>;
};

/// The work of the format's GPU kernel, or the defaults.
template <class F, value V>
device_work device_work_of(const row_statistics& s, const typename F::options& o,
                           const footprint_type<F, V>& size) {
  if constexpr (gpu_work_by_footprint<F, V>)
    return F::template gpu_work<V>(s, o, size);
  else if constexpr (gpu_work_by_statistics<F>)
    return F::gpu_work(s, o);
  else
    return {};
}

/// Seconds of work of all cores together, for storage of so many bytes.
inline double core_seconds(const core_work& w, const row_statistics& s, std::size_t value_bytes,
                           std::int64_t bytes) {
  const auto nnz = static_cast<double>(s.nnz);
  const double held = static_cast<double>(bytes) / static_cast<double>(value_bytes + sizeof(std::int32_t));
  const double slots = w.counts_padding ? std::max(nnz, held) : nnz;
  return (slots * w.slot_ns + static_cast<double>(s.rows) * w.row_ns + nnz * s.spread * w.gather_ns) * 1e-9;
}

/// Seconds of one product. On a CPU: cost() and the instructions. On a GPU: device_seconds() of the bytes.
template <predictable_format F, value V, offset O>
double predict_seconds(const row_statistics& s, const typename F::options& o, const exec::target& t,
                       const machine& m, const footprint_type<F, V>& size) {
  if (t.kind == device_set::cpu)
    return cost_of<F, V, O>(s, o, t, m, size) +
           core_seconds(work_of<F, V>(s, o, t, size), s, sizeof(V), size.bytes) / m.cores;
  const machine of_one_gb_per_second{.bandwidth_gbs = 1, .starts = {.first_seconds = 0, .next_seconds = 0}};
  const double bytes = cost_of<F, V, O>(s, o, t, of_one_gb_per_second, size) * 1e9;
  return device_seconds(device_work_of<F, V>(s, o, size), s, bytes, m.bandwidth_gbs);
}

}  // namespace gossamer::inline v0::formats
