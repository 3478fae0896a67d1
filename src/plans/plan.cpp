// SPDX-License-Identifier: BSD-3-Clause
// The public class: checks arguments, then one virtual call.
#include "gossamer/plan.hpp"

#include <algorithm>
#include <cstdint>

#include "core/out_of_memory.hpp"
#include "plans/describe.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0 {
namespace {

/// Holds a workspace for one host product.
class hold {
 public:
  explicit hold(plans::workspace_base& scratch) : scratch_(scratch) {
    if (scratch.in_use.test_and_set(std::memory_order_acquire))
      fail(errc::busy, "multiply: the workspace is in use by another product; make one for each thread");
  }
  ~hold() { scratch_.in_use.clear(std::memory_order_release); }
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;

 private:
  plans::workspace_base& scratch_;
};

template <class M, class V>
product<scalars<M, V>> check(const plans::plan_facts& facts, V alpha, const V* x, std::size_t x_size, V beta,
                             V* y, std::size_t y_size) {
  if (x_size != static_cast<std::size_t>(facts.cols))
    fail(errc::size_mismatch, "multiply: x has {} elements, the matrix has {} columns", x_size, facts.cols);
  if (y_size != static_cast<std::size_t>(facts.rows))
    fail(errc::size_mismatch, "multiply: y has {} elements, the matrix has {} rows", y_size, facts.rows);
  const auto x_begin = reinterpret_cast<std::uintptr_t>(x);
  const auto y_begin = reinterpret_cast<std::uintptr_t>(y);
  if (x_size > 0 && y_size > 0 && x_begin < y_begin + y_size * sizeof(V) &&
      y_begin < x_begin + x_size * sizeof(V))
    fail(errc::overlap, "multiply: x and y share memory");
  return {.op = operation::none,
          .alpha = alpha,
          .x = x,
          .beta = beta,
          .y = y,
          .vectors = 1,
          .ldx = static_cast<std::int64_t>(x_size),
          .ldy = static_cast<std::int64_t>(y_size)};
}

/// A workspace that may be used with the plan of that id.
plans::workspace_base& usable(const std::unique_ptr<plans::workspace_base>& scratch, std::uint64_t plan) {
  if (scratch == nullptr) fail(errc::invalid_argument, "multiply: the workspace was moved from");
  if (scratch->owner() != plan)
    fail(errc::invalid_argument, "multiply: the workspace was made by another plan");
  return *scratch;
}

template <class V>
void check_update(const plans::plan_facts& facts, std::size_t size) {
  if (!facts.values_change)
    fail(errc::unsupported, "update_values: the plan was inspected without values_change");
  if (size != static_cast<std::size_t>(facts.nnz))
    fail(errc::size_mismatch, "update_values: {} values for {} nonzeros", size, facts.nnz);
}

}  // namespace

workspace::workspace(std::unique_ptr<plans::workspace_base> base) noexcept : base_(std::move(base)) {}
workspace::workspace(workspace&&) noexcept = default;
workspace& workspace::operator=(workspace&&) noexcept = default;
workspace::~workspace() = default;
std::int64_t workspace::bytes() const noexcept {
  return base_->bytes();
}

template <value M, value V>
plan<M, V>::plan(std::unique_ptr<plans::plan_base<scalars<M, V>>> base) noexcept : base_(std::move(base)) {}
template <value M, value V>
plan<M, V>::plan(plan&&) noexcept = default;
template <value M, value V>
plan<M, V>& plan<M, V>::operator=(plan&&) noexcept = default;
template <value M, value V>
plan<M, V>::~plan() = default;

template <value M, value V>
void plan<M, V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const {
  const auto p = check<M>(base_->facts(), alpha, x.data(), x.size(), beta, y.data(), y.size());
  const hold held(base_->own_workspace());
  naming_out_of_memory("multiply", [&] { base_->multiply_host(p, base_->own_workspace()); });
}

template <value M, value V>
void plan<M, V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, workspace& scratch) const {
  const auto p = check<M>(base_->facts(), alpha, x.data(), x.size(), beta, y.data(), y.size());
  plans::workspace_base& room = usable(scratch.base_, base_->id());
  const hold held(room);
  naming_out_of_memory("multiply", [&] { base_->multiply_host(p, room); });
}

template <value M, value V>
void plan<M, V>::multiply(V alpha, device_span<const V> x, V beta, device_span<V> y,
                          cuda_stream stream) const {
  const auto p = check<M>(base_->facts(), alpha, x.data(), x.size(), beta, y.data(), y.size());
  naming_out_of_memory("multiply", [&] { base_->multiply_device(p, stream, base_->own_workspace()); });
}

template <value M, value V>
void plan<M, V>::multiply(V alpha, device_span<const V> x, V beta, device_span<V> y, cuda_stream stream,
                          workspace& scratch) const {
  const auto p = check<M>(base_->facts(), alpha, x.data(), x.size(), beta, y.data(), y.size());
  plans::workspace_base& room = usable(scratch.base_, base_->id());
  naming_out_of_memory("multiply", [&] { base_->multiply_device(p, stream, room); });
}

template <value M, value V>
void plan<M, V>::update_values(std::span<const M> values) {
  check_update<M>(base_->facts(), values.size());
  naming_out_of_memory("update_values", [&] { base_->update_host(values.data()); });
}

template <value M, value V>
void plan<M, V>::update_values(device_span<const M> values, cuda_stream stream) {
  check_update<M>(base_->facts(), values.size());
  naming_out_of_memory("update_values", [&] { base_->update_device(values.data(), stream); });
}

template <value M, value V>
std::optional<rounding_error> plan<M, V>::rounding() const {
  return base_->rounding();
}
template <value M, value V>
template <offset O>
host_buffer<M> plan<M, V>::stored_values(const csr_view<M, O>& a) const {
  if (a.rows != base_->facts().rows || a.cols != base_->facts().cols || a.nnz() != base_->facts().nnz)
    fail(errc::size_mismatch,
         "stored_values: a matrix of {} rows, {} columns and {} nonzeros, not {}, {} and {}", a.rows, a.cols,
         a.nnz(), base_->facts().rows, base_->facts().cols, base_->facts().nnz);
  if (!base_->rounding()) return host_buffer<M>::borrow(a.val);
  return naming_out_of_memory("stored_values", [&] {
    host_buffer<std::int64_t> row_ptr(a.row_ptr.size());
    std::copy(a.row_ptr.begin(), a.row_ptr.end(), row_ptr.data());
    host_buffer<M> stored(a.val.size());
    base_->stored_values(row_ptr.data(), a.val.data(), stored.data());
    return stored;
  });
}
template <value M, value V>
csr_matrix<M, std::int64_t> plan<M, V>::to_csr() const {
  return naming_out_of_memory("to_csr", [&] { return base_->to_csr(); });
}
template <value M, value V>
workspace plan<M, V>::make_workspace() const {
  return naming_out_of_memory("make_workspace", [&] { return workspace(base_->make_workspace()); });
}
template <value M, value V>
std::int64_t plan<M, V>::rows() const noexcept {
  return base_->facts().rows;
}
template <value M, value V>
std::int64_t plan<M, V>::cols() const noexcept {
  return base_->facts().cols;
}
template <value M, value V>
std::int64_t plan<M, V>::nnz() const noexcept {
  return base_->facts().nnz;
}
template <value M, value V>
std::int64_t plan<M, V>::bytes() const noexcept {
  return base_->bytes();
}

template <value M, value V>
std::int64_t plan<M, V>::slots() const noexcept {
  return base_->slots();
}
template <value M, value V>
std::int64_t plan<M, V>::streamed_bytes() const noexcept {
  return base_->streamed_bytes();
}
template <value M, value V>
std::int64_t plan<M, V>::bus_bytes() const noexcept {
  return base_->bus_bytes();
}
template <value M, value V>
std::vector<plan_part> plan<M, V>::parts() const {
  return naming_out_of_memory("parts", [&] { return base_->parts(base_->own_workspace()); });
}
template <value M, value V>
double plan<M, V>::inspect_seconds() const noexcept {
  return base_->inspect_seconds();
}
template <value M, value V>
std::string_view plan<M, V>::format() const noexcept {
  return base_->facts().format;
}
template <value M, value V>
const resource& plan<M, V>::where() const noexcept {
  return base_->facts().where;
}
template <value M, value V>
const option_texts& plan<M, V>::options() const noexcept {
  return base_->facts().options;
}
template <value M, value V>
std::string plan<M, V>::describe() const {
  return naming_out_of_memory("describe", [&] {
    return plans::describe(base_->facts(), value_name<M>(), base_->bytes(), base_->inspect_seconds(),
                           base_->rounding());
  });
}

template class GOSSAMER_API plan<float>;
template class GOSSAMER_API plan<double>;
template host_buffer<float> plan<float>::stored_values(const csr_view<float, std::int32_t>&) const;
template host_buffer<float> plan<float>::stored_values(const csr_view<float, std::int64_t>&) const;
template host_buffer<double> plan<double>::stored_values(const csr_view<double, std::int32_t>&) const;
template host_buffer<double> plan<double>::stored_values(const csr_view<double, std::int64_t>&) const;

}  // namespace gossamer::inline v0
