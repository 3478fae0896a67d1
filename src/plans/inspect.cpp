// SPDX-License-Identifier: BSD-3-Clause
// What inspect() does: check, measure, ask for a format where none is named, hand to the format.
#include "plans/inspect.hpp"

#include <array>

#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/matrix.hpp"
#include "plans/build_on_device.hpp"
#include "plans/describe.hpp"
#include "plans/format_entry.hpp"

namespace gossamer::inline v0::plans {
namespace {

using clock = std::chrono::steady_clock;

/// Checks what can be refused before anything is done, and names the format where none is named.
void check(inspect_options& options, const resource& where, bool can_choose) {
  if (options.format.empty()) options.format = default_format(where);
  if (options.format != formats::auto_text || !can_choose)
    static_cast<void>(find_format(options.format));
  else if (!options.options.empty())
    fail(errc::invalid_argument, "inspect: an option \"{}\" of no format; name the format that it is of",
         options.options.front().first);
  if (options.op != operation::none) fail(errc::unsupported, "inspect: op = transpose is not supported yet");
  if (options.vectors != 1)
    fail(errc::unsupported, "inspect: vectors = {}: only 1 is supported yet", options.vectors);
}

void check_memory_limit(const inspect_options& options, const resource& where) {
  if (!options.memory_limit) return;
  if (std::holds_alternative<cpu>(where))
    fail(errc::invalid_argument, "inspect: memory_limit = {}: only a plan on a GPU has one",
         *options.memory_limit);
  if (*options.memory_limit < 0)
    fail(errc::invalid_argument, "inspect: memory_limit = {} is negative", *options.memory_limit);
}

template <value V, offset O>
plan<V> inspect_host(const csr_view<V, O>& a, const resource& where, inspect_options options,
                     const chooser<V, O>& choose, std::span<const device_alias> aliases,
                     clock::time_point begin, csr_matrix<V, O>* reusable = nullptr) {
  check(options, where, choose != nullptr);
  check_memory_limit(options, where);
  const exec::target target = exec::target_of(where);
  const thread_limit limit(target.threads);
  // The arrays that are on the device already are looked at there before they come here.
  if (aliases.empty()) {
    if (auto made = try_build_on_device(a, {}, where, options, aliases)) {
      made->finish(begin);
      return plan<V>(std::move(made));
    }
  }
  report(options.progress, "validate", 0);
  validate(a);
  report(options.progress, "statistics", 0);
  const row_statistics statistics = measure_rows(a);
  if (choose != nullptr && options.format == formats::auto_text) {
    report(options.progress, "choose", 0);
    format_setting chosen = choose(a, statistics);
    options.format = std::move(chosen.format);
    options.options = std::move(chosen.options);
    if (auto made = try_build_on_device(a, statistics, where, options, aliases)) {
      made->finish(begin);
      return plan<V>(std::move(made));
    }
  }

  const plan_request request{where, target, options, offset_name<O>()};
  auto made = find_entry(options.format)
                  .template functions<scalars<V>, O>()
                  .make(a, statistics, request, aliases, reusable);
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
plan<V> inspect_with(const csr_view<V, O>& a, const resource& where, const inspect_options& options,
                     const chooser<V, O>& choose) {
  return naming_out_of_memory("inspect",
                              [&] { return inspect_host(a, where, options, choose, {}, clock::now()); });
}

template <value V, offset O>
plan<V> inspect_with(const csr_view<V, O, device_space>& a, const cuda& where, const inspect_options& options,
                     const chooser<V, O>& choose) {
  return naming_out_of_memory("inspect", [&] {
    const auto begin = clock::now();
    inspect_options own = options;
    check(own, where, choose != nullptr);
    exec::require_device(where.device);
    const exec::device_guard guard(where.device);
    exec::synchronize_device();  // whatever stream is still writing the arrays
    if (auto made = try_build_on_device(a, {}, where, own)) {
      made->finish(begin);
      return plan<V>(std::move(made));
    }
    const csr_matrix<V, O> here{.rows = a.rows,
                                .cols = a.cols,
                                .row_ptr = fetch(a.row_ptr),
                                .col = fetch(a.col),
                                .val = fetch(a.val)};
    exec::synchronize_device();
    const std::array aliases{device_alias{here.row_ptr.data(), a.row_ptr.data()},
                             device_alias{here.col.data(), a.col.data()},
                             device_alias{here.val.data(), a.val.data()}};
    return inspect_host(here.view(), where, std::move(own), choose, aliases, begin);
  });
}

template <value V>
plan<V> inspect_with(const coo_view<V>& a, const resource& where, const inspect_options& options,
                     const chooser<V, std::int64_t>& choose) {
  return naming_out_of_memory("inspect", [&] {
    const auto begin = clock::now();
    inspect_options own = options;
    check(own, where, choose != nullptr);
    const thread_limit limit(exec::target_of(where).threads);
    report(options.progress, "sort", 0);
    auto sorted = csr_from_coo<V, std::int64_t>(a);
    own.copy = true;
    return inspect_host(sorted.view(), where, own, choose, {}, begin, &sorted);
  });
}

template <value V, offset O>
plan<V> inspect_like(const csr_view<V, O>& a, const description& like) {
  return naming_out_of_memory("inspect", [&] {
    const described asked = parse_description(like.json, value_name<V>());
    return inspect_host<V, O>(a, asked.where, asked.options, {}, {}, clock::now());
  });
}

#define GOSSAMER_INSTANCE(V, O)                                                                           \
  template plan<V> inspect_with(const csr_view<V, O>&, const resource&, const inspect_options&,           \
                                const chooser<V, O>&);                                                    \
  template plan<V> inspect_with(const csr_view<V, O, device_space>&, const cuda&, const inspect_options&, \
                                const chooser<V, O>&);                                                    \
  template plan<V> inspect_like(const csr_view<V, O>&, const description&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
template plan<float> inspect_with(const coo_view<float>&, const resource&, const inspect_options&,
                                  const chooser<float, std::int64_t>&);
template plan<double> inspect_with(const coo_view<double>&, const resource&, const inspect_options&,
                                   const chooser<double, std::int64_t>&);

}  // namespace gossamer::inline v0::plans
