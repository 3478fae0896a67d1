// SPDX-License-Identifier: BSD-3-Clause
// The public class's products with an epilogue: checks arguments, then one virtual call.
#include "gossamer/plan.hpp"
#include "plans/check_vectors.hpp"
#include "plans/epilogues.hpp"
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
void finish_on_host(const call_names& names, const plans::plan_base<S>& base, const product<S>& p,
                    const epilogue<vector_t<S>>& e, plans::workspace_base& scratch) {
  const exec::row_epilogue<S> rows = plans::check_epilogue<S>(names, base.facts(), p, e);
  const hold held(scratch, names.call);
  naming_call(names, [&] { base.multiply_host(p, rows, scratch); });
}

template <class S>
void finish_on_device(const call_names& names, const plans::plan_base<S>& base, const product<S>& p,
                      const epilogue<vector_t<S>, device_space>& e, cuda_stream stream,
                      plans::workspace_base& scratch) {
  const exec::row_epilogue<S> rows = plans::check_epilogue<S>(names, base.facts(), p, e);
  naming_call(names, [&] { base.multiply_device(p, rows, stream, scratch); });
}

}  // namespace

template <value M, value V>
void plan<M, V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, const epilogue<V>& e) const {
  const auto& matrix = forward();
  finish_on_host(forward_call, matrix,
                 plans::check_vectors<M>(forward_call, matrix.facts(), alpha, x, beta, y), e,
                 matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y, const epilogue<V>& e,
                          workspace& scratch) const {
  const auto& matrix = forward();
  finish_on_host(forward_call, matrix,
                 plans::check_vectors<M>(forward_call, matrix.facts(), alpha, x, beta, y), e,
                 usable(scratch.forward_, matrix.id(), forward_call));
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, device_span<const V> x, V beta, device_span<V> y,
                          const epilogue<V, device_space>& e, cuda_stream stream) const {
  const auto& matrix = forward();
  finish_on_device(forward_call, matrix,
                   plans::check_vectors<M>(forward_call, matrix.facts(), alpha, x, beta, y), e, stream,
                   matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply(V alpha, device_span<const V> x, V beta, device_span<V> y,
                          const epilogue<V, device_space>& e, cuda_stream stream, workspace& scratch) const {
  const auto& matrix = forward();
  finish_on_device(forward_call, matrix,
                   plans::check_vectors<M>(forward_call, matrix.facts(), alpha, x, beta, y), e, stream,
                   usable(scratch.forward_, matrix.id(), forward_call));
}

template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y,
                                     const epilogue<V>& e) const {
  const auto& matrix = transposed();
  finish_on_host(transposed_call, matrix,
                 plans::check_vectors<M>(transposed_call, matrix.facts(), alpha, x, beta, y), e,
                 matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, std::span<const V> x, V beta, std::span<V> y,
                                     const epilogue<V>& e, workspace& scratch) const {
  const auto& matrix = transposed();
  finish_on_host(transposed_call, matrix,
                 plans::check_vectors<M>(transposed_call, matrix.facts(), alpha, x, beta, y), e,
                 usable(symmetric_ ? scratch.forward_ : scratch.transposed_, matrix.id(), transposed_call));
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, device_span<const V> x, V beta, device_span<V> y,
                                     const epilogue<V, device_space>& e, cuda_stream stream) const {
  const auto& matrix = transposed();
  finish_on_device(transposed_call, matrix,
                   plans::check_vectors<M>(transposed_call, matrix.facts(), alpha, x, beta, y), e, stream,
                   matrix.own_workspace());
}
template <value M, value V>
void plan<M, V>::multiply_transposed(V alpha, device_span<const V> x, V beta, device_span<V> y,
                                     const epilogue<V, device_space>& e, cuda_stream stream,
                                     workspace& scratch) const {
  const auto& matrix = transposed();
  finish_on_device(transposed_call, matrix,
                   plans::check_vectors<M>(transposed_call, matrix.facts(), alpha, x, beta, y), e, stream,
                   usable(symmetric_ ? scratch.forward_ : scratch.transposed_, matrix.id(), transposed_call));
}

#define GOSSAMER_INSTANCE(V)                                                                                 \
  template GOSSAMER_API void plan<V>::multiply(V, std::span<const V>, V, std::span<V>, const epilogue<V>&)   \
      const;                                                                                                 \
  template GOSSAMER_API void plan<V>::multiply(V, std::span<const V>, V, std::span<V>, const epilogue<V>&,   \
                                               workspace&) const;                                            \
  template GOSSAMER_API void plan<V>::multiply(V, device_span<const V>, V, device_span<V>,                   \
                                               const epilogue<V, device_space>&, cuda_stream) const;         \
  template GOSSAMER_API void plan<V>::multiply(V, device_span<const V>, V, device_span<V>,                   \
                                               const epilogue<V, device_space>&, cuda_stream, workspace&)    \
      const;                                                                                                 \
  template GOSSAMER_API void plan<V>::multiply_transposed(V, std::span<const V>, V, std::span<V>,            \
                                                          const epilogue<V>&) const;                         \
  template GOSSAMER_API void plan<V>::multiply_transposed(V, std::span<const V>, V, std::span<V>,            \
                                                          const epilogue<V>&, workspace&) const;             \
  template GOSSAMER_API void plan<V>::multiply_transposed(                                                   \
      V, device_span<const V>, V, device_span<V>, const epilogue<V, device_space>&, cuda_stream) const;      \
  template GOSSAMER_API void plan<V>::multiply_transposed(                                                   \
      V, device_span<const V>, V, device_span<V>, const epilogue<V, device_space>&, cuda_stream, workspace&) \
      const;
GOSSAMER_INSTANCE(float)
GOSSAMER_INSTANCE(double)
#undef GOSSAMER_INSTANCE

}  // namespace gossamer::inline v0
