// SPDX-License-Identifier: BSD-3-Clause
// Types of the CBLAS functions that reference solvers call, with 32-bit integers, and of two functions that
// only MKL has.
#pragma once

namespace gossamer::bench_support::loops::cblas_abi {

template <class V>
using dot = V(int size, const V* x, int x_step, const V* y, int y_step);
template <class V>
using axpy = void(int size, V alpha, const V* x, int x_step, V* y, int y_step);
template <class V>
using scal = void(int size, V alpha, V* x, int x_step);
template <class V>
using copy = void(int size, const V* x, int x_step, V* y, int y_step);
/// y = alpha x + beta y; MKL's addition to BLAS.
template <class V>
using axpby = void(int size, V alpha, const V* x, int x_step, V beta, V* y, int y_step);
using set_num_threads_local = int(int threads);

}  // namespace gossamer::bench_support::loops::cblas_abi
