// SPDX-License-Identifier: BSD-3-Clause
// Solves a linear program on the CPU or GPU of its matrix: steps, tests and restarts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "gossamer/linear_program.hpp"

namespace gossamer::inline v0::solve {

/// A linear program whose rows and columns are scaled: its matrix is diag(rows) A diag(columns). The vectors
/// must outlive the loop.
template <class Space = host_space>
struct scaled_program {
  linear_program<double, Space> program;
  span_in<const double, Space> rows;     ///< factors of the rows
  span_in<const double, Space> columns;  ///< factors of the columns
};

/// Parameters of the loop.
struct program_setting {
  double norm = 1;           ///< a lower bound of the matrix's 2-norm, close to it; positive
  double weight = 1;         ///< the first primal weight; positive
  double rtol = 1e-4;        ///< bound of the three errors
  double size_of_sides = 1;  ///< 1 + the norm of lb and ub of the unscaled program
  double size_of_c = 1;      ///< 1 + the norm of c of the unscaled program
};

/// The state after some rounds. The errors are relative errors of the unscaled program.
struct program_state {
  status outcome = status::maxiter;
  std::int64_t steps = 0;
  std::int64_t restarts = 0;
  double primal_error = 0;
  double dual_error = 0;
  double gap = 0;
};

/// The reflected Halpern iteration of the primal-dual hybrid gradient, with restarts and an adaptive primal
/// weight.
///
/// A round is some steps, then a test of convergence, and a restart if its conditions hold. With device
/// vectors, a round is a CUDA graph, and the host waits only at the end of advance().
template <class Space>
class GOSSAMER_API linear_program_loop {
 public:
  /// The plan must have both products, and must outlive the loop. x and y are the initial guess; x is within
  /// its bounds. Throws what solvers throw.
  linear_program_loop(const plan<double>& a, const scaled_program<Space>& program,
                      const program_setting& setting, span_in<const double, Space> x,
                      span_in<const double, Space> y, cuda_stream stream, workspace* scratch);
  ~linear_program_loop();
  linear_program_loop(const linear_program_loop&) = delete;
  linear_program_loop& operator=(const linear_program_loop&) = delete;

  /// Runs `rounds` rounds of `steps` steps each, both at least 1; fewer if a test ends the solve. Status
  /// maxiter: no test has ended it. Further rounds may follow after any status.
  program_state advance(std::int64_t rounds, int steps);
  /// Copies T(z) of the last step, whose x is within its bounds, and T(z) - z. Before the first round, these
  /// are the initial guess and 0. Synchronous.
  void copy_to(span_in<double, Space> x, span_in<double, Space> y, span_in<double, Space> moved_x,
               span_in<double, Space> moved_y);

 private:
  struct members;
  std::unique_ptr<members> own_;
};

}  // namespace gossamer::inline v0::solve
