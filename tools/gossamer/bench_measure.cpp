// SPDX-License-Identifier: BSD-3-Clause
// Forecast, inspect, check, time: in this order, and what each of them may throw.
#include "bench_measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>

#include "gossamer/error.hpp"
#include "gossamer/plan.hpp"
#include "option_texts.hpp"
#include "without_prefix.hpp"

namespace gossamer::cli {
namespace {

template <class V, class O>
std::int64_t csr_bytes(const csr_view<V, O>& a) {
  return a.nnz() * static_cast<std::int64_t>(sizeof(V) + sizeof(std::int32_t)) +
         (a.rows + 1) * static_cast<std::int64_t>(sizeof(O));
}

template <class V, class O>
verification check_product(const csr_view<V, O>& a, const plan<V>& plan) {
  const std::vector<V> x = ramp<V>(a.cols);
  std::vector<V> y(static_cast<std::size_t>(a.rows), std::numeric_limits<V>::quiet_NaN());
  plan.multiply(V{1}, x, V{0}, y);
  return verify<V, O>(a, V{1}, x, V{0}, {}, y);
}

template <class V, class O>
void inspect_and_time(const bench_subject<V, O>& s, const option_texts& options, progress_bar& bar,
                      bench_result& r) {
  const format_forecast expected = forecast(s.a, s.statistics, r.format, options, s.where, s.copy_gbs);
  r.predicted_seconds = expected.seconds;
  if (!expected.options.empty()) r.options = joined(expected.options);

  inspect_options wanted{.format = r.format, .options = options};
  wanted.progress = bar.callback();
  const plan<V> made = inspect(s.a, s.where, wanted);
  const std::int64_t vectors = (s.a.rows + s.a.cols) * static_cast<std::int64_t>(sizeof(V));
  r.options = joined(made.options());
  r.inspect_seconds = made.inspect_seconds();
  r.bytes = made.bytes();
  r.least_bytes = made.bytes() + vectors;
  r.csr_equivalent_bytes = csr_bytes(s.a) + vectors;

  bar.show("check", 0);
  const verification checked = check_product(s.a, made);
  r.error_ratio = checked.error_ratio;
  if (!checked.right()) {
    r.status = bench_status::failed;
    r.reason = fmt::format("wrong in row {}: error ratio {:.3g}", checked.row + 1, checked.error_ratio);
    return;
  }
  bar.show("time", 0);
  r.seconds = time_products(made, s.seconds);
}

}  // namespace

template <value V, offset O>
bench_result measure(const bench_subject<V, O>& s, const std::string& format, const option_texts& options,
                     progress_bar& bar) {
  bench_result r{.matrix = s.facts,
                 .rows = s.a.rows,
                 .cols = s.a.cols,
                 .nnz = s.a.nnz(),
                 .value = std::string(value_name<V>()),
                 .device = name(s.where),
                 .format = format,
                 .options = joined(options),
                 .copy_gbs = s.copy_gbs};
  try {
    inspect_and_time(s, options, bar, r);
  } catch (const error& problem) {
    const errc code = problem.code();
    if (code != errc::unsupported && code != errc::out_of_memory && code != errc::device_error) throw;
    r.status = code == errc::unsupported ? bench_status::unsupported : bench_status::failed;
    r.reason = without_prefix(problem.what(), format);
  } catch (const std::bad_alloc&) {
    r.status = bench_status::failed;
    r.reason = "out of memory";
  }
  return r;
}

std::optional<double> break_even(const bench_result& result, const bench_result& csr) {
  if (result.status != bench_status::ok || csr.status != bench_status::ok) return std::nullopt;
  const double saved = csr.seconds.median - result.seconds.median;
  if (!(saved > 0)) return std::nullopt;
  return std::max(0.0, (result.inspect_seconds - csr.inspect_seconds) / saved);
}

template bench_result measure(const bench_subject<float, std::int32_t>&, const std::string&,
                              const option_texts&, progress_bar&);
template bench_result measure(const bench_subject<float, std::int64_t>&, const std::string&,
                              const option_texts&, progress_bar&);
template bench_result measure(const bench_subject<double, std::int32_t>&, const std::string&,
                              const option_texts&, progress_bar&);
template bench_result measure(const bench_subject<double, std::int64_t>&, const std::string&,
                              const option_texts&, progress_bar&);

}  // namespace gossamer::cli
