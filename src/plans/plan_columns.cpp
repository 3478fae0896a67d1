// SPDX-License-Identifier: BSD-3-Clause
// The public class's products by several vectors: checks arguments, then multiplies blocks of columns.
#include "gossamer/plan.hpp"
#include "plans/columns.hpp"
#include "plans/transposed_plan.hpp"

namespace gossamer::inline v0 {
namespace {

using plans::call_names;
using plans::forward_call;
using plans::hold;
using plans::naming_call;
using plans::transposed_call;
using plans::usable;

template <class S>
void multiply_on_host(const call_names& names, const plans::plan_base<S>& matrix, vector_t<S> alpha,
                      const dense_view<const vector_t<S>>& x, vector_t<S> beta,
                      const dense_view<vector_t<S>>& y, plans::workspace_base& scratch) {
  const auto p = plans::check_columns<S>(names, matrix.facts(), alpha, x, beta, y);
  const hold held(scratch, names.call);
  naming_call(names, [&] { plans::multiply_columns_host(matrix, p, scratch); });
}

template <class S>
void multiply_on_device(const call_names& names, const plans::plan_base<S>& matrix, vector_t<S> alpha,
                        const dense_view<const vector_t<S>, device_space>& x, vector_t<S> beta,
                        const dense_view<vector_t<S>, device_space>& y, cuda_stream stream,
                        plans::workspace_base& scratch) {
  const auto p = plans::check_columns<S>(names, matrix.facts(), alpha, x, beta, y);
  naming_call(names, [&] { plans::multiply_columns_device(matrix, p, stream, scratch); });
}

}  // namespace

template <value M, value V>
void plan<M, V>::multiply(V alpha, const dense_view<const V>& x, V beta, const dense_view<V>& y) const {
  const auto& matrix = forward();
  multiply_on_host(forward_call, matrix, alpha, x, beta, y, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, const dense_view<const V>& x, V beta, const dense_view<V>& y,
                          workspace& scratch) const {
  const auto& matrix = forward();
  multiply_on_host(forward_call, matrix, alpha, x, beta, y,
                   usable(scratch.forward_, matrix.id(), forward_call));
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, const dense_view<const V, device_space>& x, V beta,
                          const dense_view<V, device_space>& y, cuda_stream stream) const {
  const auto& matrix = forward();
  multiply_on_device(forward_call, matrix, alpha, x, beta, y, stream, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, const dense_view<const V, device_space>& x, V beta,
                          const dense_view<V, device_space>& y, cuda_stream stream,
                          workspace& scratch) const {
  const auto& matrix = forward();
  multiply_on_device(forward_call, matrix, alpha, x, beta, y, stream,
                     usable(scratch.forward_, matrix.id(), forward_call));
}

template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, const dense_view<const V>& x, V beta,
                                     const dense_view<V>& y) const {
  const auto& matrix = transposed();
  multiply_on_host(transposed_call, matrix, alpha, x, beta, y, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, const dense_view<const V>& x, V beta, const dense_view<V>& y,
                                     workspace& scratch) const {
  const auto& matrix = transposed();
  multiply_on_host(transposed_call, matrix, alpha, x, beta, y,
                   usable(symmetric_ ? scratch.forward_ : scratch.transposed_, matrix.id(), transposed_call));
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, const dense_view<const V, device_space>& x, V beta,
                                     const dense_view<V, device_space>& y, cuda_stream stream) const {
  const auto& matrix = transposed();
  multiply_on_device(transposed_call, matrix, alpha, x, beta, y, stream, matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, const dense_view<const V, device_space>& x, V beta,
                                     const dense_view<V, device_space>& y, cuda_stream stream,
                                     workspace& scratch) const {
  const auto& matrix = transposed();
  multiply_on_device(
      transposed_call, matrix, alpha, x, beta, y, stream,
      usable(symmetric_ ? scratch.forward_ : scratch.transposed_, matrix.id(), transposed_call));
}

#define GOSSAMER_INSTANCE(V, name)                                                                        \
  template GOSSAMER_API void plan<V>::name(V, const dense_view<const V>&, V, const dense_view<V>&) const; \
  template GOSSAMER_API void plan<V>::name(V, const dense_view<const V>&, V, const dense_view<V>&,        \
                                           workspace&) const;                                             \
  template GOSSAMER_API void plan<V>::name(V, const dense_view<const V, device_space>&, V,                \
                                           const dense_view<V, device_space>&, cuda_stream) const;        \
  template GOSSAMER_API void plan<V>::name(V, const dense_view<const V, device_space>&, V,                \
                                           const dense_view<V, device_space>&, cuda_stream, workspace&)   \
      const;
GOSSAMER_INSTANCE(float, multiply)
GOSSAMER_INSTANCE(double, multiply)
GOSSAMER_INSTANCE(float, multiply_transposed)
GOSSAMER_INSTANCE(double, multiply_transposed)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
