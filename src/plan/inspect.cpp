// SPDX-License-Identifier: BSD-3-Clause
// inspect(): check, measure, hand to the format.
#include <array>

#include "core/out_of_memory.hpp"
#include "formats/all_formats.hpp"
#include "gossamer/validate.hpp"
#include "plan/describe.hpp"
#include "plan/make_plan.hpp"

namespace gossamer::inline v0 {
namespace {

using clock = std::chrono::steady_clock;

/// What can be refused before anything is done.
void check(const inspect_options& options) {
  if (options.op != operation::none) fail(errc::unsupported, "inspect: op = transpose is not supported yet");
  if (options.vectors != 1)
    fail(errc::unsupported, "inspect: vectors = {}: only 1 is supported yet", options.vectors);
}

template <value V, offset O>
plan<V> inspect_host(const csr_view<V, O>& a, const resource& where, const inspect_options& options,
                     std::span<const detail::twin> twins, clock::time_point begin,
                     csr_matrix<V, O>* spare = nullptr) {
  check(options);
  const format_info& chosen = find_format(options.format);
  const exec::target target = exec::target_of(where);
  const exec::thread_limit limit(target.threads);
  detail::report(options.progress, "validate", 0);
  validate(a);
  detail::report(options.progress, "statistics", 0);
  const row_statistics statistics = measure_rows(a);

  std::unique_ptr<detail::plan_base<V>> made;
  formats::all_formats::for_each([&]<class F>() {
    if (F::name == chosen.name)
      made = detail::make_plan<F>(a, statistics, where, target, options, twins, spare);
  });
  made->finish(begin);
  return plan<V>(std::move(made));
}

template <class T>
host_buffer<T> fetch(device_span<const T> from) {
  host_buffer<T> to(from.size());
  exec::copy_async(to.data(), from.data(), from.size() * sizeof(T), exec::copy_kind::device_to_host, {});
  return to;
}

}  // namespace

template <value V, offset O>
plan<V> inspect(const csr_view<V, O>& a, const resource& where, const inspect_options& options) {
  return naming_out_of_memory("inspect", [&] { return inspect_host(a, where, options, {}, clock::now()); });
}

template <value V, offset O>
plan<V> inspect(const csr_view<V, O, device_space>& a, const cuda& where, const inspect_options& options) {
  return naming_out_of_memory("inspect", [&] {
    const auto begin = clock::now();
    check(options);
    exec::require_device(where.device);
    const exec::device_guard guard(where.device);
    exec::synchronize_device();  // whatever stream is still writing the arrays
    const csr_matrix<V, O> here{.rows = a.rows,
                                .cols = a.cols,
                                .row_ptr = fetch(a.row_ptr),
                                .col = fetch(a.col),
                                .val = fetch(a.val)};
    exec::synchronize_device();
    const std::array twins{detail::twin{here.row_ptr.data(), a.row_ptr.data()},
                           detail::twin{here.col.data(), a.col.data()},
                           detail::twin{here.val.data(), a.val.data()}};
    return inspect_host(here.view(), where, options, twins, begin);
  });
}

template <value V>
plan<V> inspect(const coo_view<V>& a, const resource& where, const inspect_options& options) {
  return naming_out_of_memory("inspect", [&] {
    const auto begin = clock::now();
    check(options);
    static_cast<void>(find_format(options.format));
    const exec::thread_limit limit(exec::target_of(where).threads);
    detail::report(options.progress, "sort", 0);
    auto sorted = csr_from_coo<V, std::int64_t>(a);
    inspect_options own = options;
    own.copy = true;
    return inspect_host(sorted.view(), where, own, {}, begin, &sorted);
  });
}

template <value V, offset O>
plan<V> inspect(const csr_view<V, O>& a, const description& like) {
  return naming_out_of_memory("inspect", [&] {
    const detail::described asked = detail::parse_description(like.json, value_name<V>());
    return inspect_host(a, asked.where, asked.options, {}, clock::now());
  });
}

template GOSSAMER_API plan<float> inspect(const csr_view<float, std::int32_t>&, const resource&,
                                          const inspect_options&);
template GOSSAMER_API plan<float> inspect(const csr_view<float, std::int64_t>&, const resource&,
                                          const inspect_options&);
template GOSSAMER_API plan<double> inspect(const csr_view<double, std::int32_t>&, const resource&,
                                           const inspect_options&);
template GOSSAMER_API plan<double> inspect(const csr_view<double, std::int64_t>&, const resource&,
                                           const inspect_options&);
template GOSSAMER_API plan<float> inspect(const csr_view<float, std::int32_t, device_space>&, const cuda&,
                                          const inspect_options&);
template GOSSAMER_API plan<float> inspect(const csr_view<float, std::int64_t, device_space>&, const cuda&,
                                          const inspect_options&);
template GOSSAMER_API plan<double> inspect(const csr_view<double, std::int32_t, device_space>&, const cuda&,
                                           const inspect_options&);
template GOSSAMER_API plan<double> inspect(const csr_view<double, std::int64_t, device_space>&, const cuda&,
                                           const inspect_options&);
template GOSSAMER_API plan<float> inspect(const coo_view<float>&, const resource&, const inspect_options&);
template GOSSAMER_API plan<double> inspect(const coo_view<double>&, const resource&, const inspect_options&);
template GOSSAMER_API plan<float> inspect(const csr_view<float, std::int32_t>&, const description&);
template GOSSAMER_API plan<float> inspect(const csr_view<float, std::int64_t>&, const description&);
template GOSSAMER_API plan<double> inspect(const csr_view<double, std::int32_t>&, const description&);
template GOSSAMER_API plan<double> inspect(const csr_view<double, std::int64_t>&, const description&);

}  // namespace gossamer::inline v0
