// SPDX-License-Identifier: BSD-3-Clause
// Solves with host vectors and a plan on one GPU: the vectors are copied there.
#pragma once

#include <utility>
#include <variant>

#include "solve/engine.hpp"

namespace gossamer::inline v0::solve {

/// Whether all work of a solve can be on the GPU of the plan.
template <value V>
bool solves_on_one_gpu(const plan<V>& a) {
  return std::holds_alternative<cuda>(a.where()) && !is_hybrid(a);
}

/// An array of host memory on a device.
template <value V>
class staged_vector {
 public:
  staged_vector(std::span<const V> from, int device, cuda_stream stream, bool reads)
      : memory_(from.size(), device), stream_(stream) {
    if (reads)
      exec::copy_async(memory_.data(), from.data(), from.size_bytes(), exec::copy_kind::host_to_device,
                       stream);
  }
  [[nodiscard]] device_span<V> span() { return {memory_.data(), memory_.size()}; }
  void copy_to(std::span<V> to) {
    exec::copy_async(to.data(), memory_.data(), to.size_bytes(), exec::copy_kind::device_to_host, stream_);
    exec::synchronize(stream_);
  }

 private:
  exec::device_buffer<V> memory_;
  cuda_stream stream_;
};

/// The options of a solve with device vectors. `diagonal` is the copy of a diagonal.
template <value V>
options<V, device_space> options_on_device(const options<V>& how, device_span<const V> diagonal,
                                           callback after_iteration) {
  options<V, device_space> there{.rtol = how.rtol,
                                 .atol = how.atol,
                                 .maxiter = how.maxiter,
                                 .zero_start = how.zero_start,
                                 .after_iteration = std::move(after_iteration),
                                 .check_every = how.check_every,
                                 .scratch = how.scratch};
  if (std::holds_alternative<jacobi<V>>(how.precondition))
    there.precondition = jacobi<V, device_space>{.diagonal = diagonal};
  if (const auto* const chosen = std::get_if<polynomial>(&how.precondition)) there.precondition = *chosen;
  return there;
}

/// Runs solve(b, x, stream, options) with device vectors, and copies x back.
template <value V, class Solve>
auto solve_staged(const plan<V>& a, std::span<const V> b, std::span<V> x, const options<V>& how,
                  Solve&& solve) {
  const int device = std::get<cuda>(a.where()).device;
  const exec::device_guard guard(device);
  const exec::owned_stream stream;
  std::span<const V> diagonal;
  if (const auto* const given = std::get_if<jacobi<V>>(&how.precondition)) diagonal = given->diagonal;
  staged_vector<V> b_on_device(b, device, stream.get(), true);
  staged_vector<V> x_on_device(x, device, stream.get(), !how.zero_start);
  staged_vector<V> diagonal_on_device(diagonal, device, stream.get(), true);
  callback after_iteration;
  if (how.after_iteration)
    after_iteration = [&](const state& now) {
      x_on_device.copy_to(x);
      return how.after_iteration(now);
    };
  const auto found = solve(b_on_device.span(), x_on_device.span(), stream.get(),
                           options_on_device<V>(how, diagonal_on_device.span(), after_iteration));
  x_on_device.copy_to(x);
  return found;
}

}  // namespace gossamer::inline v0::solve
