// SPDX-License-Identifier: BSD-3-Clause
// inspect() with "auto" and "tuned": the plan's own, told how to choose.
#include "plans/inspect.hpp"
#include "core/fail.hpp"
#include "core/instantiate.hpp"
#include "exec/cuda/device.hpp"
#include "tuning/choose.hpp"

namespace gossamer::inline v0 {
namespace {

/// Whether csr can refer to these arrays without a copy, so that it is built in less time than other formats.
bool borrows(const inspect_options& options) {
  return options.operations == operation_set::forward && !options.copy && !options.values_change &&
         options.reorder == reordering::none;
}

/// `samples`: cached_x, if a sample of the columns shows that it is faster than packed. Wrong arguments are
/// found later.
template <value V, offset O>
plans::chooser<V, O> chooser_for(const resource& where, bool samples = false) {
  plans::chooser<V, O> choose{.measured = [&where](const csr_view<V, O>& a, const row_statistics& statistics,
                                                   const inspect_options& options) {
    return tuning::choose(a, statistics, where, options);
  }};
  if (!samples) return choose;
  choose.sampled = [](const csr_view<V, O>& a) { return tuning::automatic_cached_x(a); };
  choose.sampled_on_device =
      [&where](const csr_view<V, O, device_space>& a) -> std::optional<format_setting> {
    if (!exec::is_on_device(a.col.data(), std::get<cuda>(where).device)) return {};
    return tuning::automatic_cached_x(a);
  };
  return choose;
}

/// Whether with_known_choice() takes packed for "auto", unless a sample of the matrix says something else.
bool samples_columns(const inspect_options& asked, const inspect_options& known) {
  return asked.format == "auto" && known.format == "packed" && tuning::may_be_cached_x(known);
}

/// Replaces "auto" on a GPU, so that the format is built where the arrays are, as if it had been named.
/// "tuned" needs the entries, and a reordered matrix does not exist yet: both are chosen later. `on_device`:
/// the arrays are in device memory.
template <class Matrix>
inspect_options with_known_choice(const Matrix& a, const resource& where, inspect_options options,
                                  bool on_device = false) {
  const bool may_copy = !on_device || options.memory == matrix_memory::automatic;
  const bool few_products =
      on_device && borrows(options) && tuning::are_few_products(device_set::cuda, options.calls);
  if (!std::holds_alternative<cuda>(where) || options.format != "auto" || !options.options.empty() ||
      !may_copy || options.reorder != reordering::none)
    return options;
  options.format = tuning::automatic_gpu_format(a.rows, a.cols, a.nnz(), sizeof(typename Matrix::value_type),
                                                few_products);
  return options;
}

/// Adds to the message what takes less memory, if there is not enough for what "auto" chose.
template <class Make>
auto naming_alternative(const inspect_options& asked, bool is_where_it_is_multiplied, Make&& make) {
  try {
    return make();
  } catch (const error& problem) {
    if (problem.code() != errc::out_of_memory || asked.format != "auto" ||
        asked.memory == matrix_memory::caller_arrays || !is_where_it_is_multiplied || !borrows(asked))
      throw;
    fail(errc::out_of_memory, "{}; a plan with memory = caller_arrays needs less", problem.what());
  }
}

}  // namespace

template <value V, offset O>
plan<V> inspect(const csr_view<V, O>& a, const resource& where, const inspect_options& options) {
  return naming_alternative(options, std::holds_alternative<cpu>(where), [&] {
    const inspect_options known = with_known_choice(a, where, options);
    return plans::inspect_with(a, where, known, chooser_for<V, O>(where, samples_columns(options, known)));
  });
}

template <value V, offset O>
plan<V> inspect(const csr_view<V, O, device_space>& a, const cuda& where, const inspect_options& options) {
  const resource device = where;
  return naming_alternative(options, true, [&] {
    const inspect_options known = with_known_choice(a, device, options, true);
    return plans::inspect_with(a, where, known, chooser_for<V, O>(device, samples_columns(options, known)));
  });
}

template <value V>
plan<V> inspect(const coo_view<V>& a, const resource& where, const inspect_options& options) {
  return plans::inspect_with(a, where, with_known_choice(a, where, options),
                             chooser_for<V, std::int64_t>(where));
}

template <value V, offset O>
plan<V> inspect(const csr_view<V, O>& a, const description& like) {
  return plans::inspect_like(a, like);
}

#define GOSSAMER_INSTANCE(V, O)                                                                          \
  template GOSSAMER_API plan<V> inspect(const csr_view<V, O>&, const resource&, const inspect_options&); \
  template GOSSAMER_API plan<V> inspect(const csr_view<V, O, device_space>&, const cuda&,                \
                                        const inspect_options&);                                         \
  template GOSSAMER_API plan<V> inspect(const csr_view<V, O>&, const description&);
GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE)
#undef GOSSAMER_INSTANCE
template GOSSAMER_API plan<float> inspect(const coo_view<float>&, const resource&, const inspect_options&);
template GOSSAMER_API plan<double> inspect(const coo_view<double>&, const resource&, const inspect_options&);

}  // namespace gossamer::inline v0
