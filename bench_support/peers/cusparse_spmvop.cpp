// SPDX-License-Identifier: BSD-3-Clause
// cuSPARSE's SpMVOp: z = alpha A x + beta y without an epilogue; z is y.
#include <new>

#include "bench_support/peers/cusparse_api.hpp"

namespace gossamer::bench_support::peers::cusparse {

#if defined(GOSSAMER_HAVE_CUSPARSE)

namespace {

template <value V>
class spmvop_product final : public product_base<V> {
 public:
  spmvop_product(const cusparse_api& api, spmvop_kind which, const matrix<V>& a, int device)
      : product_base<V>(api, name_of(which), device),
        x_(api.destroy_vector),
        y_(api.destroy_vector),
        descriptor_(api.spmvop.destroy_descriptor),
        plan_(api.spmvop.destroy_plan) {
    const exec::device_guard guard(device_);
    base::store_csr(a);
    // Vectors of the right size, for analysis alone; those of each product are set with it.
    exec::device_buffer<V> x(static_cast<std::size_t>(a.cols), device_);
    exec::device_buffer<V> y(static_cast<std::size_t>(a.rows), device_);
    check(api_.create_vector(x_.out(), a.cols, x.data(), type_of<V>), "cusparseCreateDnVec");
    check(api_.create_vector(y_.out(), a.rows, y.data(), type_of<V>), "cusparseCreateDnVec");
    analyse(which == spmvop_kind::alg1 ? spmvop_algorithm::alg1 : spmvop_algorithm::alg2);
    exec::synchronize_device();
  }
  ~spmvop_product() override { exec::finish_device(device_); }

  void multiply_device(V alpha, const V* x, V beta, V* y, cuda_stream stream) const override {
    const exec::device_guard guard(device_);
    check(api_.set_stream(handle_.get(), stream.handle()), "cusparseSetStream");
    check(api_.set_values(x_.get(), const_cast<V*>(x)), "cusparseDnVecSetValues");
    check(api_.set_values(y_.get(), y), "cusparseDnVecSetValues");
    check(api_.spmvop.multiply(handle_.get(), plan_.get(), &alpha, &beta, x_.get(), y_.get(), y_.get()),
          "cusparseSpMVOp");
  }

 private:
  using base = product_base<V>;
  using base::api_;
  using base::check;
  using base::device_;
  using base::handle_;
  using base::matrix_;

  void analyse(spmvop_algorithm algorithm) {
    const spmvop_api& op = api_.spmvop;
    std::size_t size = 0;
    check(op.buffer_size(handle_.get(), CUSPARSE_OPERATION_NON_TRANSPOSE, matrix_.get(), x_.get(), y_.get(),
                         y_.get(), type_of<V>, algorithm, &size),
          "cusparseSpMVOp_bufferSize");
    base::make_scratch(size);
    check(op.create_descriptor(handle_.get(), descriptor_.out(), CUSPARSE_OPERATION_NON_TRANSPOSE,
                               matrix_.get(), x_.get(), y_.get(), y_.get(), type_of<V>, algorithm,
                               base::scratch_pointer()),
          "cusparseSpMVOp_createDescr");
    check(op.create_plan(handle_.get(), descriptor_.get(), plan_.out(), nullptr, 0),
          "cusparseSpMVOp_createPlan");
  }

  owned<cusparseDnVecDescr_t, decltype(&cusparseDestroyDnVec)> x_;
  owned<cusparseDnVecDescr_t, decltype(&cusparseDestroyDnVec)> y_;
  owned<spmvop_descriptor, spmvop_destroy_descriptor*> descriptor_;
  owned<spmvop_plan, spmvop_destroy_plan*> plan_;  // destroyed before its descriptor
};

template <value V>
prepared<V> make(spmvop_kind which, const matrix<V>& a, const exec::target& target) {
  try {
    return std::make_unique<spmvop_product<V>>(*find_cusparse().api, which, a, target.device);
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "{}: host memory ran out while converting", name_of(which));
  }
}

}  // namespace

#else

namespace {

template <value V>
prepared<V> make(spmvop_kind which, const matrix<V>&, const exec::target&) {
  refuse(name_of(which), "{}", look().reason);
}

}  // namespace

#endif

template <value V>
prepared<V> prepare(spmvop_kind which, matrix<V>&& a, const exec::target& target, std::int64_t columns) {
  require_narrow(name_of(which), a);
  if (columns != 1) refuse(name_of(which), "it multiplies one vector, not {}", columns);
  return make<V>(which, a, target);
}

template prepared<float> prepare(spmvop_kind, matrix<float>&&, const exec::target&, std::int64_t);
template prepared<double> prepare(spmvop_kind, matrix<double>&&, const exec::target&, std::int64_t);

}  // namespace gossamer::bench_support::peers::cusparse
