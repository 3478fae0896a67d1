// SPDX-License-Identifier: BSD-3-Clause
#include "plans/reordered_plan.hpp"

#include <algorithm>

#include "core/permuted.hpp"
#include "exec/elementwise.hpp"
#include "exec/permute_rows.hpp"
#include "plans/reordered_workspace.hpp"

namespace gossamer::inline v0::plans {
namespace {

/// Columns of row-major X that a CPU multiplies at once: those of the widest pack.
constexpr std::int64_t most_row_major_columns = 16;

plan_facts reordered_facts(plan_facts facts, const reordered_data& data) {
  facts.reorder = data.method;
  facts.copy = data.copy;
  facts.memory_limit = data.memory_limit;
  return facts;
}

int threads_of_plan(const resource& where) {
  const auto* const host = std::get_if<cpu>(&where);
  return host != nullptr ? host->threads : 0;
}

int device_of_plan(const resource& where) {
  const auto* const device = std::get_if<cuda>(&where);
  return device != nullptr ? device->device : -1;
}

/// The same product with X and Y in `vectors`, X first: row-major if `by_rows`, else column-major.
template <class S>
columns_product<S> in_new_order(const columns_product<S>& p, vector_t<S>* vectors, std::int64_t rows,
                                bool by_rows) {
  columns_product<S> own = p;
  own.x = vectors;
  own.y = vectors + rows * p.columns;
  own.x_step = own.y_step = by_rows ? p.columns : 1;
  own.x_next = own.y_next = by_rows ? 1 : rows;
  return own;
}

template <class S>
exec::strided_matrix<const vector_t<S>> x_of(const columns_product<S>& p) {
  return {p.x, p.x_step, p.x_next};
}
template <class S>
exec::strided_matrix<vector_t<S>> y_of(const columns_product<S>& p) {
  return {p.y, p.y_step, p.y_next};
}
template <class V>
exec::strided_matrix<const V> constant(const exec::strided_matrix<V>& m) {
  return {m.data, m.step, m.next};
}

template <class S>
columns_product<S> one_column(const product<S>& p) {
  return {.alpha = p.alpha, .x = p.x, .beta = p.beta, .y = p.y, .columns = 1};
}

/// Gathers X of `p` into that of `own`, calls multiply(own), and gathers Y of `own` into that of `p`. Returns
/// the number of columns that multiply() has multiplied. permute(to, from, index, columns) gathers rows.
template <class S, class Permute, class Multiply>
std::int64_t multiply_in_new_order(const columns_product<S>& p, const columns_product<S>& own,
                                   const std::int32_t* permutation, const std::int32_t* inverse,
                                   Permute&& permute, Multiply&& multiply) {
  using V = vector_t<S>;
  permute(exec::strided_matrix<V>{const_cast<V*>(own.x), own.x_step, own.x_next}, x_of(p), permutation,
          p.columns);
  if (p.beta != factor_t<S>{0}) permute(y_of(own), constant(y_of(p)), permutation, p.columns);
  const std::int64_t done = multiply(own);
  if (done > 0) permute(y_of(p), constant(y_of(own)), inverse, done);
  return done;
}

}  // namespace

template <class S>
reordered_plan<S>::reordered_plan(std::unique_ptr<plan_base<S>> base, reordered_data&& data)
    : plan_base<S>(reordered_facts(base->facts(), data)),
      data_(std::move(data)),
      threads_(threads_of_plan(this->facts().where)),
      device_(device_of_plan(this->facts().where)),
      base_(std::move(base)) {}

template <class S>
template <class Multiply>
std::int64_t reordered_plan<S>::multiply_permuted(const columns_product<S>& p, bool by_rows,
                                                  workspace_base& scratch, Multiply&& multiply) const {
  auto& workspace = static_cast<reordered_workspace<vector_t<S>>&>(scratch);
  const auto own = in_new_order(p, workspace.host_vectors(p.columns), size(), by_rows);
  return multiply_in_new_order(
      p, own, data_.order->permutation().data(), data_.order->inverse().data(),
      [&](const auto& to, const auto& from, const std::int32_t* index, std::int64_t columns) {
        exec::permute_rows(to, from, index, size(), columns, threads_);
      },
      [&](const columns_product<S>& permuted) { return multiply(permuted, workspace.inner()); });
}

template <class S>
void reordered_plan<S>::multiply_host(const product<S>& p, workspace_base& scratch) const {
  auto& inner = static_cast<reordered_workspace<vector_t<S>>&>(scratch).inner();
  if (p.alpha == factor_t<S>{0})
    return base_->multiply_host(p, inner);  // scales y, so the order does not matter
  multiply_permuted(one_column(p), false, scratch,
                    [&](const columns_product<S>& permuted, workspace_base& of_base) {
                      base_->multiply_host(permuted.column(0), of_base);
                      return permuted.columns;
                    });
}

template <class S>
void reordered_plan<S>::multiply_columns_host(const columns_product<S>& p, workspace_base& scratch) const {
  if (p.alpha == factor_t<S>{0}) {
    for (std::int64_t j = 0; j < p.columns; ++j) multiply_host(p.column(j), scratch);
    return;
  }
  multiply_permuted(p, false, scratch, [&](const columns_product<S>& permuted, workspace_base& of_base) {
    base_->multiply_columns_host(permuted, of_base);
    return permuted.columns;
  });
}

template <class S>
std::int64_t reordered_plan<S>::multiply_rows_host(const columns_product<S>& p,
                                                   workspace_base& scratch) const {
  if (device_ >= 0 || !base_->reads_once_for_columns()) return 0;
  return multiply_permuted(p.from(0, std::min(p.columns, most_row_major_columns)), true, scratch,
                           [&](const columns_product<S>& permuted, workspace_base& of_base) {
                             return base_->multiply_rows_host(permuted, of_base);
                           });
}

#if defined(GOSSAMER_HAVE_CUDA)

template <class S>
void reordered_plan<S>::multiply_device(const product<S>& p, cuda_stream stream,
                                        workspace_base& scratch) const {
  auto& workspace = static_cast<reordered_workspace<vector_t<S>>&>(scratch);
  if (device_ < 0 || p.alpha == factor_t<S>{0}) return base_->multiply_device(p, stream, workspace.inner());
  static_cast<void>(multiply_columns_device(one_column(p), stream, scratch));
}

template <class S>
bool reordered_plan<S>::multiply_columns_device(const columns_product<S>& p, cuda_stream stream,
                                                workspace_base& scratch) const {
  if (device_ < 0 || p.columns < 1 || p.alpha == factor_t<S>{0}) return false;
  if (size() == 0) return true;
  using workspace_type = reordered_workspace<vector_t<S>>;
  auto& workspace = static_cast<workspace_type&>(scratch);
  const exec::device_guard guard(device_);
  const std::lock_guard lock(workspace.enqueue_mutex());
  const auto run = [&](const columns_product<S>& some, bool by_rows, auto&& multiply) {
    const auto own = in_new_order(some, workspace.device_vectors(some.columns), size(), by_rows);
    return multiply_in_new_order(
        some, own, data_.order->permutation_on_device(), data_.order->inverse_on_device(),
        [&](const auto& to, const auto& from, const std::int32_t* index, std::int64_t columns) {
          exec::permute_rows_on_device(to, from, index, size(), columns, stream);
        },
        multiply);
  };
  const bool by_rows = base_->reads_once_for_columns() && p.x_next == 1 && p.y_next == 1;
  for (std::int64_t first = 0; first < p.columns;) {
    const auto some = p.from(first, std::min(p.columns - first, workspace_type::most_device_columns));
    std::int64_t done = 0;
    if (by_rows && some.columns > 1)
      done = run(some, true, [&](const columns_product<S>& permuted) {
        return base_->multiply_columns_device(permuted, stream, workspace.inner()) ? permuted.columns : 0;
      });
    if (done == 0)
      done = run(some.from(0, 1), false, [&](const columns_product<S>& permuted) {
        base_->multiply_device(permuted.column(0), stream, workspace.inner());
        return permuted.columns;
      });
    first += done;
  }
  return true;
}

#else

template <class S>
void reordered_plan<S>::multiply_device(const product<S>& p, cuda_stream stream,
                                        workspace_base& scratch) const {
  base_->multiply_device(p, stream, static_cast<reordered_workspace<vector_t<S>>&>(scratch).inner());
}

template <class S>
bool reordered_plan<S>::multiply_columns_device(const columns_product<S>& /*p*/, cuda_stream /*stream*/,
                                                workspace_base& /*scratch*/) const {
  return false;
}

#endif

template <class S>
void reordered_plan<S>::update_host(const V* values) {
  if (data_.entries.empty()) return base_->update_host(values);
  host_buffer<V> own(data_.entries.size());
  exec::gather_values(own.data(), std::as_const(data_.entries).data(), this->facts().nnz, values);
  base_->update_host(std::as_const(own).data());
}

template <class S>
csr_matrix<matrix_t<S>, std::int64_t> reordered_plan<S>::to_csr() const {
  const csr_matrix<V, std::int64_t> stored = base_->to_csr();
  return core::permuted(stored.view(), data_.order->inverse(), data_.order->permutation(), nullptr);
}

template <class S>
std::unique_ptr<workspace_base> reordered_plan<S>::make_workspace() const {
  return std::make_unique<reordered_workspace<vector_t<S>>>(this->id(), base_->make_workspace(), size(),
                                                            device_);
}

template <class S>
std::int64_t reordered_plan<S>::bytes() const noexcept {
  const std::int64_t of_order =
      data_.owns_order ? data_.order->host_bytes() + data_.order->device_bytes() : 0;
  return base_->bytes() + of_order + static_cast<std::int64_t>(data_.entries.size() * sizeof(std::int64_t));
}

template <class S>
std::int64_t reordered_plan<S>::device_bytes(int device) const noexcept {
  const bool counts_order = data_.owns_order && device == device_;
  return base_->device_bytes(device) + (counts_order ? data_.order->device_bytes() : 0);
}

template class reordered_plan<scalars<float>>;
template class reordered_plan<scalars<double>>;

}  // namespace gossamer::inline v0::plans
