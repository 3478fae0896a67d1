// SPDX-License-Identifier: BSD-3-Clause
// What packed says of a matrix by a sample of its windows, beside what it finds out by coding all of it.
#include <gtest/gtest.h>

#include "packed_support.hpp"

namespace gossamer::formats {
namespace {

struct both {
  footprint measured;
  footprint estimated;
};

template <value V>
both look_at(const csr_matrix<V, std::int64_t>& a, const resource& where) {
  const exec::target target = exec::planned_target_of(where);
  const row_statistics statistics = measure_rows(a.view());
  const packed::options options = packed::resolve({}, statistics, target);
  return {packed::measure(a.view(), statistics, options, target),
          packed::estimate(a.view(), statistics, options, target)};
}

double ratio(double estimated, double measured) {
  return measured == 0 && estimated == 0 ? 1 : estimated / measured;
}

template <value V>
void expect_near(const char* text, double most) {
  const auto a = generate<V>(text);
  for (const resource& where : {resource(cpu{}), resource(cuda{0})}) {
    SCOPED_TRACE(std::string(text) + " on " + name(where));
    const auto [measured, estimated] = look_at(a, where);
    EXPECT_TRUE(measured.exact);
    EXPECT_FALSE(estimated.exact);
    EXPECT_TRUE(estimated.refusal.empty()) << estimated.refusal;
    EXPECT_NEAR(ratio(static_cast<double>(estimated.bytes), static_cast<double>(measured.bytes)), 1, most);
    // What predictions go by beside the bytes.
    const auto amounts = [](const footprint& f) {
      return static_cast<const packed_code::coded_matrix<V>*>(f.prepared.get())->all();
    };
    EXPECT_NEAR(ratio(static_cast<double>(amounts(estimated).steps_on_diagonals),
                      static_cast<double>(amounts(measured).steps_on_diagonals)),
                1, most);
    EXPECT_NEAR(ratio(static_cast<double>(amounts(estimated).slices()),
                      static_cast<double>(amounts(measured).slices())),
                1, most);
  }
}

TEST(packed_sample, says_nearly_what_measuring_says) {
  expect_near<double>("stencil(nx=300,ny=300,points=5)", 0.01);
  expect_near<double>("stencil(nx=60,ny=60,nz=50,points=7,values=few(3))", 0.03);
  expect_near<float>("uniform(rows=100k,per_row=5)", 0.01);
  expect_near<double>("fem(nx=30,dof=3)", 0.03);
  expect_near<double>("circuit(rows=100k)", 0.05);
  expect_near<double>("rmat(scale=17,edge_factor=4)", 0.05);
}

TEST(packed_sample, of_a_matrix_that_is_hardly_larger_is_all_of_it) {
  const auto [measured, estimated] = look_at(generate<double>("circuit(rows=65k)"), cuda{0});
  EXPECT_TRUE(estimated.exact);
  EXPECT_EQ(estimated.bytes, measured.bytes);
}

/// The window of a row that has most entries stands for itself, as often as shares begin in it.
TEST(packed_sample, counts_windows_by_what_they_have) {
  expect_near<double>("heavy_row(rows=100k,heavy=90k)", 0.05);
}

/// Lossy values are coded from rounded ones, of which there are none before.
TEST(packed_sample, of_rounded_values_is_all_of_them) {
  const auto a = generate<double>("uniform(rows=70k,per_row=3)");
  const exec::target target = exec::planned_target_of(cuda{0});
  const row_statistics statistics = measure_rows(a.view());
  const packed::options options = packed::resolve({.precision = packed_precision::f32}, statistics, target);
  EXPECT_TRUE(packed::estimate(a.view(), statistics, options, target).exact);
}

}  // namespace
}  // namespace gossamer::formats
