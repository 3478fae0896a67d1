// SPDX-License-Identifier: BSD-3-Clause
// What inspect() does: check, measure, ask for a format if one is to be chosen, hand to the format.
#include "plans/inspect.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "core/instantiate.hpp"
#include "core/out_of_memory.hpp"
#include "core/permuted.hpp"
#include "exec/cuda/device_transposed.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/reorder.hpp"
#include "plans/build_on_device.hpp"
#include "plans/build_with_transpose.hpp"
#include "plans/describe.hpp"
#include "plans/format_entry.hpp"
#include "plans/reordered_plan.hpp"

namespace gossamer::inline v0::plans {
namespace {

using clock = std::chrono::steady_clock;

/// Where values will change, the format may store them in another way.
void set_options_for_new_values(inspect_options& options, device_set kind) {
  if (options.values_change)
    options.options = find_entry(options.format).options_for_new_values(options.options, kind);
}

/// Takes what a member of chooser says of a matrix.
template <class Sample, class Matrix>
void take_sampled(const Sample& sampled, const Matrix& a, device_set kind, inspect_options& options) {
  if (sampled == nullptr) return;
  std::optional<format_setting> chosen = sampled(a);
  if (!chosen) return;
  options.format = std::move(chosen->format);
  options.options = std::move(chosen->options);
  set_options_for_new_values(options, kind);
}

/// Checks what can be refused before anything is done.
void check(inspect_options& options, const resource& where, bool can_choose) {
  check_products(options);
  if (!is_choice(options.format) || !can_choose)
    set_options_for_new_values(options,
                               std::holds_alternative<cpu>(where) ? device_set::cpu : device_set::cuda);
  else if (!options.options.empty())
    fail(errc::invalid_argument, "inspect: option \"{}\" needs a format; name the format too",
         options.options.front().first);
}

void check_memory_limit(const inspect_options& options, const resource& where) {
  if (!options.memory_limit) return;
  if (std::holds_alternative<cpu>(where))
    fail(errc::invalid_argument, "inspect: memory_limit = {}: only a plan on a GPU has one",
         *options.memory_limit);
  if (*options.memory_limit < 0)
    fail(errc::invalid_argument, "inspect: memory_limit = {} is negative", *options.memory_limit);
}

/// For a matrix that is where it is multiplied: settles on the format that refers to the caller's arrays, if
/// the plan may not copy them.
void check_memory(inspect_options& options) {
  if (options.memory == matrix_memory::automatic) return;
  if (options.copy) check_no_caller_arrays(options, "copy");
  if (options.values_change) check_no_caller_arrays(options, "values_change");
  if (options.operations != operation_set::forward) check_no_caller_arrays(options, "the transpose");
  if (is_choice(options.format)) options.format = plain_format();
  if (options.format != plain_format())
    fail(errc::unsupported,
         "unsupported: {}: it stores the matrix again, which memory = caller_arrays forbids; {} does not",
         find_format(options.format).name, plain_format());
}

/// Builds the plan of one matrix in host memory. With context.aliases, its arrays are on the device too.
template <value V, offset O>
std::unique_ptr<plan_base<scalars<V>>> build(const csr_view<V, O>& a, const resource& where,
                                             inspect_options options, const chooser<V, O>& choose,
                                             const build_context<V, O>& context) {
  if (const auto* const device = std::get_if<cuda>(&where))
    options.memory_limit = remaining_limit(options.memory_limit, context.other, device->device);
  const exec::target target = exec::target_of(where);
  const thread_limit limit(target.threads);
  take_sampled(choose.sampled, a, target.kind, options);
  // The arrays that are on the device already are looked at there before they come here.
  if (context.aliases.empty()) {
    if (auto made = try_build_on_device(a, {}, where, options, context.permutation, context.aliases))
      return made;
  }
  report(options.progress, "validate", 0);
  validate(a);
  report(options.progress, "statistics", 0);
  const row_statistics statistics = measure_rows(a);
  if (choose.measured != nullptr && is_choice(options.format)) {
    report(options.progress, "choose", 0);
    format_setting chosen = choose.measured(a, statistics, options);
    options.format = std::move(chosen.format);
    options.options = std::move(chosen.options);
    set_options_for_new_values(options, target.kind);
    if (auto made = try_build_on_device(a, statistics, where, options, context.permutation, context.aliases))
      return made;
  }

  const plan_request request{where, target, options, offset_name<O>(), context.permutation};
  return find_entry(options.format)
      .template functions<scalars<V>, O>()
      .make(a, statistics, request, context.aliases, context.reusable);
}

/// Throws invalid_argument if the matrix or other options do not allow options.reorder.
template <value V, offset O, class Space>
void check_reorder(const csr_view<V, O, Space>& a, const inspect_options& options) {
  const std::string_view order = name(options.reorder);  // throws if the enumerator is invalid
  if (options.reorder == reordering::none) return;
  check_no_caller_arrays(options, "a reordered matrix");
  if (a.rows != a.cols)
    fail(errc::invalid_argument, "inspect: reorder = {}: a matrix of {} rows and {} columns is not square",
         order, a.rows, a.cols);
  const std::int64_t needed =
      row_order::bytes_of(static_cast<std::size_t>(std::max<std::int64_t>(a.rows, 0)));
  if (options.memory_limit && *options.memory_limit < needed)
    fail(errc::invalid_argument,
         "inspect: reorder = {}: memory_limit = {} is less than the {} bytes of the "
         "permutation",
         order, *options.memory_limit, needed);
}

/// Permutes the matrix and builds a reordered plan of it, which takes vectors and values in the order of `a`.
template <value V, offset O>
plan<V> build_reordered(const csr_view<V, O>& a, const resource& where, const inspect_options& options,
                        const std::optional<format_setting>& transposed_setting, const chooser<V, O>& choose,
                        clock::time_point begin) {
  report(options.progress, "validate", 0);
  validate(a);
  report(options.progress, "reorder", 0);
  const auto order = std::make_shared<const row_order>(reverse_cuthill_mckee(a), where);
  host_buffer<std::int64_t> entries(options.values_change ? a.val.size() : 0);
  csr_matrix<V, O> b = core::permuted(a, order->permutation(), order->inverse(),
                                      options.values_change ? entries.data() : nullptr);
  inspect_options own = options;
  own.copy = true;  // the arrays of `b` are temporary
  const build_context<V, O> context{.reusable = &b,
                                    .permutation = std::as_const(entries).span(),
                                    .reusable_permutation = &entries,
                                    .caller_values = a.val};
  return build_plan(
      b.view(), own, transposed_setting, context, begin,
      [&](const csr_view<V, O>& matrix, inspect_options its_options,
          const build_context<V, O>& its_context) -> std::unique_ptr<plan_base<scalars<V>>> {
        const bool owns_order = its_context.other == nullptr;
        if (owns_order && its_options.memory_limit) *its_options.memory_limit -= order->host_bytes();
        auto base = build(matrix, where, its_options, choose, its_context);
        reordered_data data{.order = order,
                            .owns_order = owns_order,
                            .method = options.reorder,
                            .copy = options.copy,
                            .memory_limit = options.memory_limit};
        // A plan that does not take values in the caller's order needs the map from its entries to the
        // caller's.
        if (its_context.reusable_permutation != nullptr && !base->takes_values_in_caller_order())
          data.entries = std::move(*its_context.reusable_permutation);
        return std::make_unique<reordered_plan<scalars<V>>>(std::move(base), std::move(data));
      });
}

/// Checks the options and builds the plan of a matrix in host memory.
template <value V, offset O>
plan<V> build_on_host(const csr_view<V, O>& a, const resource& where, inspect_options options,
                      const std::optional<format_setting>& transposed_setting, const chooser<V, O>& choose,
                      const build_context<V, O>& context, clock::time_point begin = clock::now()) {
  check(options, where, choose.measured != nullptr);
  check_memory_limit(options, where);
  check_reorder(a, options);
  const thread_limit limit(exec::target_of(where).threads);
  if (options.reorder != reordering::none)
    return build_reordered(a, where, options, transposed_setting, choose, begin);
  return build_plan(
      a, options, transposed_setting, context, begin,
      [&](const csr_view<V, O>& matrix, const inspect_options& own, const build_context<V, O>& its_context) {
        return build(matrix, where, own, choose, its_context);
      });
}

template <class T>
host_buffer<T> fetch(device_span<const T> from) {
  host_buffer<T> to(from.size());
  exec::copy_async(to.data(), from.data(), from.size() * sizeof(T), exec::copy_kind::device_to_host, {});
  return to;
}

/// A matrix in device memory, copied to the host for the formats that are built there.
template <value V, offset O>
class host_copy_of_device_matrix {
 public:
  explicit host_copy_of_device_matrix(const csr_view<V, O, device_space>& a)
      : here_{.rows = a.rows,
              .cols = a.cols,
              .row_ptr = fetch(a.row_ptr),
              .col = fetch(a.col),
              .val = fetch(a.val)},
        aliases_{device_alias{here_.row_ptr.data(), a.row_ptr.data()},
                 device_alias{here_.col.data(), a.col.data()}, device_alias{here_.val.data(), a.val.data()}} {
    exec::synchronize_device();
  }
  [[nodiscard]] csr_view<V, O> view() const { return here_.view(); }
  [[nodiscard]] std::span<const device_alias> aliases() const { return aliases_; }

 private:
  csr_matrix<V, O> here_;
  std::array<device_alias, 3> aliases_;
};

/// Builds a plan that refers to the caller's arrays in device memory. Only row_ptr is copied to the host.
/// Returns null if the host needs more of the matrix to build the format, or the plan must own its arrays.
/// Also if the arrays are not in the device's memory or not valid.
template <value V, offset O>
std::unique_ptr<plan_base<scalars<V>>> try_build_from_row_ptr(
    [[maybe_unused]] const csr_view<V, O, device_space>& a, [[maybe_unused]] const cuda& where,
    [[maybe_unused]] const inspect_options& options) {
#if defined(GOSSAMER_HAVE_CUDA)
  const auto is_there = [&](const auto& array) { return exec::is_on_device(array.data(), where.device); };
  if (is_choice(options.format) || !find_entry(options.format).builds_from_row_ptr || options.copy ||
      options.values_change || !sizes_agree(a) || a.rows == 0 || a.nnz() == 0 || !is_there(a.row_ptr) ||
      !is_there(a.col) || !is_there(a.val))
    return nullptr;
  report(options.progress, "validate", 0);
  const std::optional<row_statistics> statistics = exec::measure_rows_on_device(a, where.device);
  if (!statistics) return nullptr;
  report(options.progress, "statistics", 0);
  const host_buffer<O> row_ptr = fetch(a.row_ptr);
  exec::synchronize_device();
  // Nothing reads the columns and values of this view.
  const csr_view<V, O> rows_here{.rows = a.rows,
                                 .cols = a.cols,
                                 .row_ptr = row_ptr.span(),
                                 .col = {a.col.data(), a.col.size()},
                                 .val = {a.val.data(), a.val.size()}};
  const std::array aliases{device_alias{row_ptr.data(), a.row_ptr.data()},
                           device_alias{a.col.data(), a.col.data()},
                           device_alias{a.val.data(), a.val.data()}};
  const resource device = where;
  const exec::target target = exec::target_of(device);
  const thread_limit limit(target.threads);
  return find_entry(options.format)
      .template functions<scalars<V>, O>()
      .make(rows_here, *statistics, {device, target, options, offset_name<O>()}, aliases, nullptr);
#else
  return nullptr;
#endif
}

/// Builds the plan of one matrix in device memory: there if the format can, else on the host. If `release` is
/// not null, the matrix is temporary: the host's copy is used alone, and release() frees the one on the
/// device.
template <value V, offset O>
std::unique_ptr<plan_base<scalars<V>>> build(const csr_view<V, O, device_space>& a, const cuda& where,
                                             const inspect_options& options, const chooser<V, O>& choose,
                                             build_context<V, O> context,
                                             const std::function<void()>& release = nullptr) {
  inspect_options own = options;
  own.memory_limit = remaining_limit(own.memory_limit, context.other, where.device);
  take_sampled(choose.sampled_on_device, a, device_set::cuda, own);
  if (auto made = try_build_on_device(a, {}, where, own, context.permutation)) return made;
  if (auto made = try_build_from_row_ptr(a, where, own)) return made;
  const host_copy_of_device_matrix<V, O> here(a);
  if (release)
    release();
  else
    context.aliases = here.aliases();
  return build(here.view(), where, options, choose, context);
}

/// Fills `permutation` unless it is empty.
template <value V, offset O>
csr_matrix<V, O> transpose_on_host(const csr_view<V, O, device_space>& a,
                                   host_buffer<std::int64_t>& permutation) {
  const host_copy_of_device_matrix<V, O> here(a);
  return core::transpose(here.view(), permutation.empty() ? nullptr : permutation.data());
}

/// Transposes on the device and builds the plan. If memory is short after A's plan is built, the host
/// transposes. Returns nullopt if all is up to the host: the arrays are not in the device's memory or not
/// valid, there are no entries, or memory is short before any plan is built.
template <value V, offset O>
std::optional<plan<V>> build_with_device_transpose([[maybe_unused]] const csr_view<V, O, device_space>& a,
                                                   [[maybe_unused]] const cuda& where,
                                                   [[maybe_unused]] const inspect_options& options,
                                                   [[maybe_unused]] const chooser<V, O>& choose,
                                                   [[maybe_unused]] clock::time_point begin) {
#if defined(GOSSAMER_HAVE_CUDA)
  const auto is_there = [&](const auto& array) { return exec::is_on_device(array.data(), where.device); };
  if (!sizes_agree(a) || a.rows == 0 || a.nnz() == 0 || !is_there(a.row_ptr) || !is_there(a.col) ||
      !is_there(a.val))
    return {};
  std::unique_ptr<exec::device_transposed<V, O>> at;
  const auto transpose = [&] {
    report(options.progress, "transpose", 0);
    return std::make_unique<exec::device_transposed<V, O>>(a, where.device);
  };
  const auto release = [&] {
    at.reset();
    exec::release_kept(where.device);
  };
  // Else A's plan comes first, so that it does not share the device's memory with the temporary transpose.
  bool symmetric = false;
  if (options.operations == operation_set::transposed || options.symmetric == symmetry::check) {
    at = finished(where, [&] {
      report(options.progress, "validate", 0);
      auto made = exec::measure_rows_on_device(a, where.device) ? transpose() : nullptr;
      symmetric = made != nullptr && options.symmetric == symmetry::check &&
                  exec::same_arrays_on_device(a, made->view(), where.device);
      return made;
    });
    if (at == nullptr) return {};
    if (symmetric) release();
  }
  host_buffer<std::int64_t> permutation(options.values_change ? a.val.size() : 0);
  host_buffer<V> values;
  const auto values_of_a = [&] {
    values = fetch(a.val);
    exec::synchronize_device();
    return std::as_const(values).span();
  };
  return build_with_transpose<V>(
      options, {}, symmetric, begin, permutation, values_of_a,
      [&] { return build<V, O>(a, where, options, choose, build_context<V, O>{}); },
      [&](const inspect_options& own, const plan_base<scalars<V>>* forward) {
        build_context<V, O> context{.permutation = std::as_const(permutation).span(), .other = forward};
        if (at == nullptr) at = finished(where, transpose);
        if (at == nullptr) {
          csr_matrix<V, O> on_host = transpose_on_host(a, permutation);
          context.reusable = &on_host;
          return build<V, O>(on_host.view(), where, own, choose, context);
        }
        if (options.values_change) {
          const host_buffer<O> fetched = fetch(at->permutation());
          exec::synchronize_device();
          std::copy(fetched.span().begin(), fetched.span().end(), permutation.data());
        }
        // What is built on the host needs the transpose on the device no more.
        return build<V, O>(at->view(), where, own, choose, context, release);
      });
#else
  return {};
#endif
}

}  // namespace

template <value V, offset O>
plan<V> inspect_with(const csr_view<V, O>& a, const resource& where, const inspect_options& options,
                     const chooser<V, O>& choose) {
  return naming_out_of_memory("inspect", [&] {
    inspect_options own = options;
    if (std::holds_alternative<cpu>(where)) check_memory(own);
    return build_on_host<V, O>(a, where, std::move(own), {}, choose, {});
  });
}

template <value V, offset O>
plan<V> inspect_with(const csr_view<V, O, device_space>& a, const cuda& where, const inspect_options& options,
                     const chooser<V, O>& choose) {
  return naming_out_of_memory("inspect", [&] {
    const auto begin = clock::now();
    inspect_options own = options;
    check_memory(own);
    check(own, where, choose.measured != nullptr);
    check_memory_limit(own, where);
    check_reorder(a, own);
    exec::require_device(where.device);
    const exec::device_guard guard(where.device);
    exec::synchronize_device();  // whatever stream is still writing the arrays
    if (own.reorder != reordering::none) {
      // Boost reads the matrix on the host.
    } else if (own.operations == operation_set::forward) {
      take_sampled(choose.sampled_on_device, a, device_set::cuda, own);
      auto made = try_build_on_device(a, {}, where, own, {});
      if (made == nullptr) made = try_build_from_row_ptr(a, where, own);
      if (made != nullptr) {
        made->finish(begin);
        return plan<V>(std::move(made));
      }
    } else if (auto made = build_with_device_transpose(a, where, own, choose, begin)) {
      return *std::move(made);
    }
    const host_copy_of_device_matrix<V, O> here(a);
    return build_on_host<V, O>(here.view(), where, std::move(own), {}, choose, {.aliases = here.aliases()},
                               begin);
  });
}

template <value V>
plan<V> inspect_with(const coo_view<V>& a, const resource& where, const inspect_options& options,
                     const chooser<V, std::int64_t>& choose) {
  return naming_out_of_memory("inspect", [&] {
    const auto begin = clock::now();
    inspect_options own = options;
    check_no_caller_arrays(own, "triples");
    check(own, where, choose.measured != nullptr);
    const thread_limit limit(exec::target_of(where).threads);
    report(options.progress, "sort", 0);
    auto sorted = csr_from_coo<V, std::int64_t>(a);
    own.copy = true;
    return build_on_host<V, std::int64_t>(sorted.view(), where, own, {}, choose, {.reusable = &sorted},
                                          begin);
  });
}

template <value V, offset O>
plan<V> inspect_like(const csr_view<V, O>& a, const description& like) {
  return naming_out_of_memory("inspect", [&] {
    const described asked = parse_description(like.json, value_name<V>());
    return build_on_host<V, O>(a, asked.where, asked.options, asked.transposed, {}, {});
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
