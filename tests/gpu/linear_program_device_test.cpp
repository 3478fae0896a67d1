// SPDX-License-Identifier: BSD-3-Clause
// Whole solves of linear programs on a CUDA device.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "support/device_solver_places.hpp"
#include "support/linear_program_cases.hpp"

namespace gossamer::testing_support {
namespace {

using linear_program_cases::found_point;
using linear_program_cases::loop_vectors;

class device_linear_program : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device";
  }
};

device_vector<double> copied(const std::vector<double>& from) {
  return device_vector<double>(std::span<const double>(from));
}

/// Vectors and plans on device 0.
struct loop_on_device : device_place<false> {
  class loop {
   public:
    loop(const plan<double>& a, const loop_vectors& of, const solve::program_setting& setting)
        : cost_(copied(of.program.cost)),
          lower_(copied(of.program.lower)),
          upper_(copied(of.program.upper)),
          row_lower_(copied(of.program.row_lower)),
          row_upper_(copied(of.program.row_upper)),
          rows_(copied(of.rows)),
          columns_(copied(of.columns)),
          x_(copied(of.x)),
          y_(copied(of.y)),
          moved_x_(copied(of.x)),
          moved_y_(copied(of.y)),
          loop_(a,
                {.program = {.cost = cost_.span(),
                             .lower = lower_.span(),
                             .upper = upper_.span(),
                             .row_lower = row_lower_.span(),
                             .row_upper = row_upper_.span()},
                 .rows = rows_.span(),
                 .columns = columns_.span()},
                setting, x_.span(), y_.span(), stream_.handle, nullptr) {}
    solve::program_state advance(std::int64_t rounds, int steps) { return loop_.advance(rounds, steps); }
    found_point point() {
      loop_.copy_to(x_.span(), y_.span(), moved_x_.span(), moved_y_.span());
      return {x_.fetch(), y_.fetch(), moved_x_.fetch(), moved_y_.fetch()};
    }

   private:
    stream stream_;
    device_vector<double> cost_, lower_, upper_, row_lower_, row_upper_, rows_, columns_, x_, y_, moved_x_,
        moved_y_;
    solve::linear_program_loop<device_space> loop_;
  };
};

#define GOSSAMER_CASE(name)                       \
  TEST_F(device_linear_program, name##_cuda) {    \
    linear_program_cases::name<loop_on_device>(); \
  }
GOSSAMER_LINEAR_PROGRAM_CASES(GOSSAMER_CASE)
#undef GOSSAMER_CASE

}  // namespace
}  // namespace gossamer::testing_support
