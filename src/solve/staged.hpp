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

/// The options of a system for device vectors. `diagonal` is the copy of a diagonal.
template <value V>
options<V, device_space> options_on_device(const options<V>& how, device_span<const V> diagonal) {
  options<V, device_space> there{.rtol = how.rtol,
                                 .atol = how.atol,
                                 .maxiter = how.maxiter,
                                 .zero_initial_guess = how.zero_initial_guess,
                                 .shift = how.shift,
                                 .after_iteration = how.after_iteration,
                                 .check_every = how.check_every,
                                 .scratch = how.scratch};
  if (std::holds_alternative<jacobi<V>>(how.preconditioner))
    there.preconditioner = jacobi<V, device_space>{.diagonal = diagonal};
  if (const auto* const chosen = std::get_if<polynomial>(&how.preconditioner)) there.preconditioner = *chosen;
  return there;
}

/// Runs solve(b, x, stream, options) with device vectors, and copies x back. The caller's function sees x on
/// the host.
template <value V, class Options, class Solve>
auto solve_copied(const plan<V>& a, std::span<const V> b, std::span<V> x, bool reads_x, const Options& how,
                  Solve&& solve) {
  const int device = std::get<cuda>(a.where()).device;
  const exec::device_guard guard(device);
  const exec::owned_stream stream;
  staged_vector<V> b_on_device(b, device, stream.get(), true);
  staged_vector<V> x_on_device(x, device, stream.get(), reads_x);
  Options there = how;
  if (how.after_iteration)
    there.after_iteration = [&](const state& now) {
      x_on_device.copy_to(x);
      return how.after_iteration(now);
    };
  const auto found = solve(b_on_device.span(), x_on_device.span(), stream.get(), there);
  x_on_device.copy_to(x);
  return found;
}

}  // namespace gossamer::inline v0::solve
