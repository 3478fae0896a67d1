// SPDX-License-Identifier: BSD-3-Clause
// What a workspace knows of the gathers into it: a step that can be made to fail stands in for a format's.
#include <gmock/gmock.h>

#include "gossamer/gossamer.hpp"
#include "plans/plan_base.hpp"

namespace gossamer {
namespace {

struct workspace_of_nothing final : plans::workspace_base {
  using workspace_base::workspace_base;
  [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
};

struct failing_gather final : plans::plan_base<double> {
  explicit failing_gather(const bool& fails)
      : plan_base({.format = "failing_gather", .gathers = true, .rows = 2, .cols = 2}), fails_(fails) {}

  void multiply_host(const product<double>&, plans::workspace_base&) const override {}
  void multiply_device(const product<double>&, cuda_stream, plans::workspace_base&) const override {}
  void gather_host(const double*, plans::workspace_base&) const override { step(); }
  void gather_device(const double*, cuda_stream, plans::workspace_base&) const override { step(); }
  void multiply_gathered_host(const product<double>&, plans::workspace_base&) const override {}
  void multiply_gathered_device(const product<double>&, cuda_stream, plans::workspace_base&) const override {}
  void update_host(const double*) override {}
  void update_device(const double*, cuda_stream) override {}
  void stored_values(const std::int64_t*, const double*, double*) const override {}
  [[nodiscard]] csr_matrix<double, std::int64_t> to_csr() const override { return {}; }
  [[nodiscard]] std::unique_ptr<plans::workspace_base> make_workspace() const override {
    return std::make_unique<workspace_of_nothing>(id());
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t slots() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override { return 0; }

 private:
  void step() const {
    if (fails_) throw error(errc::device_error, "the step failed");
  }
  const bool& fails_;
};

/// gather() works, then fails, then works; multiply() needs the last one to have worked.
template <class Gather, class Multiply>
void expect_nothing_left_of_a_failure(bool& fails, Gather&& gather, Multiply&& multiply) {
  EXPECT_THROW(multiply(), error);
  gather();
  EXPECT_NO_THROW(multiply());
  fails = true;
  EXPECT_THROW(gather(), error);
  EXPECT_THROW(multiply(), error);
  fails = false;
  gather();
  EXPECT_NO_THROW(multiply());
}

TEST(gather, that_fails_leaves_nothing_gathered) {
  bool fails = false;
  const plan<double> p(std::make_unique<failing_gather>(fails));
  std::vector<double> x(2);
  std::vector<double> y(2);
  workspace room = p.make_workspace();
  expect_nothing_left_of_a_failure(
      fails, [&] { p.gather(std::span<const double>(x), room); },
      [&] { p.multiply_gathered(1.0, 0.0, std::span<double>(y), room); });
  // Pointers that nothing follows.
  const device_span<const double> device_x(x.data(), x.size());
  const device_span<double> device_y(y.data(), y.size());
  expect_nothing_left_of_a_failure(
      fails, [&] { p.gather(device_x, cuda_stream{}, room); },
      [&] { p.multiply_gathered(1.0, 0.0, device_y, cuda_stream{}, room); });
}

}  // namespace
}  // namespace gossamer
