// SPDX-License-Identifier: BSD-3-Clause
// The public class: checks arguments, then one virtual call.
#include "gossamer/plan.hpp"

#include <algorithm>
#include <cstdint>

#include "core/out_of_memory.hpp"
#include "plans/calls.hpp"
#include "plans/check_vectors.hpp"
#include "plans/describe.hpp"
#include "plans/plan_base.hpp"
#include "plans/transposed_plan.hpp"

namespace gossamer::inline v0 {
namespace {

using plans::call_names;
using plans::forward_call;
using plans::hold;
using plans::naming_call;
using plans::transposed_call;
using plans::usable;

template <class M, class V>
void multiply_on_host(const call_names& names, const plans::plan_base<scalars<M, V>>& base, V alpha,
                      std::span<const V> x, V beta, std::span<V> y, plans::workspace_base& scratch) {
  const auto p = plans::check_vectors<M>(names, base.facts(), alpha, x, beta, y);
  const hold held(scratch, names.call);
  naming_call(names, [&] { base.multiply_host(p, scratch); });
}

template <class M, class V>
void multiply_on_device(const call_names& names, const plans::plan_base<scalars<M, V>>& base, V alpha,
                        device_span<const V> x, V beta, device_span<V> y, cuda_stream stream,
                        plans::workspace_base& scratch) {
  const auto p = plans::check_vectors<M>(names, base.facts(), alpha, x, beta, y);
  naming_call(names, [&] { base.multiply_device(p, stream, scratch); });
}

template <class S>
storage_info storage_of(const plans::plan_base<S>& base, std::int64_t bytes) {
  return {.format = std::string(base.facts().format),
          .options = base.facts().options,
          .bytes = bytes,
          .slots = base.slots(),
          .streamed_bytes = base.streamed_bytes(),
          .bus_bytes = base.bus_bytes(),
          .parts = base.parts(base.own_workspace())};
}

template <class V>
void check_update(const plans::plan_facts& facts, std::size_t size) {
  if (!facts.values_change)
    fail(errc::unsupported, "update_values: the plan was inspected without values_change");
  if (size != static_cast<std::size_t>(facts.nnz))
    fail(errc::size_mismatch, "update_values: {} values for {} nonzeros", size, facts.nnz);
}

}  // namespace

workspace::workspace() noexcept = default;
workspace::workspace(workspace&&) noexcept = default;
workspace& workspace::operator=(workspace&&) noexcept = default;
workspace::~workspace() = default;
std::int64_t workspace::bytes() const noexcept {
  const auto bytes_of = [](const auto& room) {
    if (room == nullptr) return std::int64_t{0};
    const std::int64_t own = room->bytes();
    const std::scoped_lock lock(room->calling, room->launching);
    return own +
           static_cast<std::int64_t>(room->column_room.size() + room->device_column_room.size() +
                                     (room->dot_room.size() + room->device_dot_room.size()) * sizeof(double) +
                                     room->product_room.size() + room->device_product_room.size());
  };
  return bytes_of(forward_) + bytes_of(transposed_);
}

template <value M, value V>
plan<M, V>::plan(std::unique_ptr<plans::plan_base<scalars<M, V>>> forward) noexcept
    : forward_(std::move(forward)) {}
template <value M, value V>
plan<M, V>::plan(std::unique_ptr<plans::plan_base<scalars<M, V>>> forward,
                 std::unique_ptr<plans::transposed_plan<scalars<M, V>>> transposed, bool symmetric) noexcept
    : forward_(std::move(forward)), transposed_(std::move(transposed)), symmetric_(symmetric) {}
template <value M, value V>
plan<M, V>::plan(plan&&) noexcept = default;
template <value M, value V>
plan<M, V>& plan<M, V>::operator=(plan&&) noexcept = default;
template <value M, value V>
plan<M, V>::~plan() = default;

template <value M, value V>
const plans::plan_base<scalars<M, V>>& plan<M, V>::primary() const noexcept {
  return forward_ ? *forward_ : transposed_->base();
}

template <value M, value V>
const plans::plan_base<scalars<M, V>>& plan<M, V>::forward() const {
  plans::require(forward_ != nullptr, forward_call, operations());
  return *forward_;
}

template <value M, value V>
const plans::plan_base<scalars<M, V>>& plan<M, V>::transposed() const {
  if (symmetric_) return *forward_;
  plans::require(transposed_ != nullptr, transposed_call, operations());
  return transposed_->base();
}

template <value M, value V>
void plan<M, V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const {
  const auto& matrix = forward();
  multiply_on_host<M, V>(forward_call, matrix, alpha, x, beta, y, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, workspace& scratch) const {
  const auto& matrix = forward();
  multiply_on_host<M, V>(forward_call, matrix, alpha, x, beta, y,
                         usable(scratch.forward_, matrix.id(), forward_call));
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, device_span<const V> x, V beta, device_span<V> y,
                          cuda_stream stream) const {
  const auto& matrix = forward();
  multiply_on_device<M, V>(forward_call, matrix, alpha, x, beta, y, stream, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, device_span<const V> x, V beta, device_span<V> y, cuda_stream stream,
                          workspace& scratch) const {
  const auto& matrix = forward();
  multiply_on_device<M, V>(forward_call, matrix, alpha, x, beta, y, stream,
                           usable(scratch.forward_, matrix.id(), forward_call));
}

template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y) const {
  const auto& matrix = transposed();
  multiply_on_host<M, V>(transposed_call, matrix, alpha, x, beta, y, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y,
                                     workspace& scratch) const {
  const auto& matrix = transposed();
  multiply_on_host<M, V>(
      transposed_call, matrix, alpha, x, beta, y,
      usable(symmetric_ ? scratch.forward_ : scratch.transposed_, matrix.id(), transposed_call));
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, device_span<const V> x, V beta, device_span<V> y,
                                     cuda_stream stream) const {
  const auto& matrix = transposed();
  multiply_on_device<M, V>(transposed_call, matrix, alpha, x, beta, y, stream, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, device_span<const V> x, V beta, device_span<V> y,
                                     cuda_stream stream, workspace& scratch) const {
  const auto& matrix = transposed();
  multiply_on_device<M, V>(
      transposed_call, matrix, alpha, x, beta, y, stream,
      usable(symmetric_ ? scratch.forward_ : scratch.transposed_, matrix.id(), transposed_call));
}

template <value M, value V>
void plan<M, V>::update_values(std::span<const M> values) {
  check_update<M>(primary().facts(), values.size());
  naming_out_of_memory("update_values", [&] {
    if (forward_ && transposed_) return update_both(*forward_, *transposed_, values.data());
    if (forward_) return forward_->update_host(values.data());
    transposed_->update_host(values.data());
  });
}

template <value M, value V>
void plan<M, V>::update_values(device_span<const M> values, cuda_stream stream) {
  check_update<M>(primary().facts(), values.size());
  naming_out_of_memory("update_values", [&] {
    // A plan that only takes host values throws first, so that no values are changed.
    const bool from_host_only = transposed_ && !transposed_->base().takes_values_in_caller_order();
    if (forward_ && !from_host_only) forward_->update_device(values.data(), stream);
    if (transposed_) transposed_->update_device(values.data(), stream);
  });
}

template <value M, value V>
bool plan<M, V>::reencodes() const noexcept {
  return (forward_ && forward_->may_refuse_values()) ||
         (transposed_ && transposed_->base().may_refuse_values());
}

template <value M, value V>
std::optional<rounding_error> plan<M, V>::rounding() const {
  return primary().rounding();
}
template <value M, value V>
template <offset O>
host_buffer<M> plan<M, V>::stored_values(const csr_view<M, O>& a) const {
  if (a.rows != rows() || a.cols != cols() || a.nnz() != nnz())
    fail(errc::size_mismatch,
         "stored_values: a matrix of {} rows, {} columns and {} nonzeros, not {}, {} and {}", a.rows, a.cols,
         a.nnz(), rows(), cols(), nnz());
  if (!rounding()) return host_buffer<M>::borrow(a.val);
  return naming_out_of_memory("stored_values", [&] {
    host_buffer<std::int64_t> row_ptr(a.row_ptr.size());
    std::copy(a.row_ptr.begin(), a.row_ptr.end(), row_ptr.data());
    host_buffer<M> stored(a.val.size());
    if (forward_) {
      forward_->stored_values(row_ptr.data(), a.val.data(), stored.data());
    } else {
      validate(a);
      transposed_->stored_values({.rows = a.rows,
                                  .cols = a.cols,
                                  .row_ptr = std::as_const(row_ptr).span(),
                                  .col = a.col,
                                  .val = a.val},
                                 stored.data());
    }
    return stored;
  });
}
template <value M, value V>
csr_matrix<M, std::int64_t> plan<M, V>::to_csr() const {
  return naming_out_of_memory("to_csr",
                              [&] { return forward_ ? forward_->to_csr() : transposed_->to_csr(); });
}
template <value M, value V>
workspace plan<M, V>::make_workspace() const {
  return naming_out_of_memory("make_workspace", [&] {
    workspace made;
    if (forward_) made.forward_ = forward_->make_workspace();
    if (transposed_) made.transposed_ = transposed_->base().make_workspace();
    return made;
  });
}
template <value M, value V>
std::int64_t plan<M, V>::rows() const noexcept {
  return forward_ ? forward_->facts().rows : primary().facts().cols;
}
template <value M, value V>
std::int64_t plan<M, V>::cols() const noexcept {
  return forward_ ? forward_->facts().cols : primary().facts().rows;
}
template <value M, value V>
std::int64_t plan<M, V>::nnz() const noexcept {
  return primary().facts().nnz;
}
template <value M, value V>
operation_set plan<M, V>::operations() const noexcept {
  if (!forward_) return operation_set::transposed;
  return transposed_ || symmetric_ ? operation_set::both : operation_set::forward;
}
template <value M, value V>
bool plan<M, V>::symmetric() const noexcept {
  return symmetric_;
}
template <value M, value V>
std::span<const std::int32_t> plan<M, V>::permutation() const noexcept {
  return primary().permutation();
}
template <value M, value V>
storage_info plan<M, V>::storage(operation product) const {
  const bool of_transpose = product == operation::transposed && !symmetric_;
  if (of_transpose ? transposed_ == nullptr : forward_ == nullptr)
    fail(errc::unsupported, "storage: {}: the plan was inspected with operations = {}", name(product),
         name(operations()));
  return naming_out_of_memory("storage", [&] {
    return of_transpose ? storage_of(transposed_->base(), transposed_->bytes())
                        : storage_of(*forward_, forward_->bytes());
  });
}
template <value M, value V>
std::int64_t plan<M, V>::bytes() const noexcept {
  return (forward_ ? forward_->bytes() : 0) + (transposed_ ? transposed_->bytes() : 0);
}

template <value M, value V>
std::int64_t plan<M, V>::slots() const noexcept {
  return primary().slots();
}
template <value M, value V>
std::int64_t plan<M, V>::streamed_bytes() const noexcept {
  return primary().streamed_bytes();
}
template <value M, value V>
std::int64_t plan<M, V>::bus_bytes() const noexcept {
  return primary().bus_bytes();
}
template <value M, value V>
std::vector<plan_part> plan<M, V>::parts() const {
  return naming_out_of_memory("parts", [&] { return primary().parts(primary().own_workspace()); });
}
template <value M, value V>
double plan<M, V>::inspect_seconds() const noexcept {
  return (forward_ ? forward_->inspect_seconds() : 0) +
         (transposed_ ? transposed_->base().inspect_seconds() : 0);
}
template <value M, value V>
std::string_view plan<M, V>::format() const noexcept {
  return primary().facts().format;
}
template <value M, value V>
const resource& plan<M, V>::where() const noexcept {
  return primary().facts().where;
}
template <value M, value V>
const option_texts& plan<M, V>::options() const noexcept {
  return primary().facts().options;
}
template <value M, value V>
std::string plan<M, V>::describe() const {
  return naming_out_of_memory("describe", [&] {
    plans::plan_facts facts = primary().facts();
    facts.rows = rows();
    facts.cols = cols();
    plans::described_operations products{.operations = operations(), .symmetric = symmetric_};
    if (forward_ && transposed_) products.transposed = &transposed_->base().facts();
    return plans::describe(facts, value_name<M>(), bytes(), inspect_seconds(), rounding(), products);
  });
}

template class GOSSAMER_API plan<float>;
template class GOSSAMER_API plan<double>;
template host_buffer<float> plan<float>::stored_values(const csr_view<float, std::int32_t>&) const;
template host_buffer<float> plan<float>::stored_values(const csr_view<float, std::int64_t>&) const;
template host_buffer<double> plan<double>::stored_values(const csr_view<double, std::int32_t>&) const;
template host_buffer<double> plan<double>::stored_values(const csr_view<double, std::int64_t>&) const;

}  // namespace gossamer::inline v0
