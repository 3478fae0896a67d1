// SPDX-License-Identifier: BSD-3-Clause
// What bccoo says of a matrix by a sample of its chunks, beside what it finds out by coding all of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "formats/papers/bccoo/format.hpp"
#include "formats/sampled.hpp"
#include "gossamer/gossamer.hpp"
#include "support/matrix_from_rows.hpp"

namespace gossamer::formats {
namespace {

template <value V>
void expect_near(const csr_matrix<V, std::int64_t>& a, double most) {
  const auto of = [&](const bccoo::options& asked, const resource& where) {
    SCOPED_TRACE(testing::Message() << name(where) << ", codes " << static_cast<int>(asked.codes));
    const auto looked = look_at<bccoo>(a, where, asked);
    EXPECT_TRUE(looked.measured.exact);
    EXPECT_FALSE(looked.estimated.exact);
    EXPECT_TRUE(looked.estimated.refusal.empty()) << looked.estimated.refusal;
    EXPECT_NEAR(looked.ratio(), 1, most);
  };
  for (const bccoo_codes codes :
       {bccoo_codes::tuples, bccoo_codes::chunk_uniform, bccoo_codes::chunk_published})
    of({.chunk = papers_chunk, .codes = codes}, cpu{});
  of({}, cuda{0});
  of({.accumulate = chunk_accumulate::atomic}, cuda{0});
}

template <value V>
void expect_near(const char* text, double most) {
  SCOPED_TRACE(text);
  expect_near(bench_support::generate<V>(text), most);
}

TEST(bccoo_sample, estimates_the_measured_footprint) {
  expect_near<double>("stencil(nx=400,ny=400,points=5)", 0.01);
  expect_near<double>("stencil(nx=60,ny=60,nz=50,points=7,values=few(3))", 0.03);
  expect_near<float>("uniform(rows=150k,per_row=5)", 0.01);
  expect_near<double>("fem(nx=20,dof=3)", 0.02);
  expect_near<double>("circuit(rows=200k)", 0.03);
  expect_near<double>("rmat(scale=16,edge_factor=12)", 0.03);
}

TEST(bccoo_sample, of_a_matrix_that_is_hardly_larger_is_all_of_it) {
  constexpr std::int64_t most = 512 * 64;
  for (const std::int64_t rows : {most, most + 1}) {
    const auto a = bench_support::generate<double>("uniform(rows=" + std::to_string(rows) + ",per_row=16)");
    const auto looked = look_at<bccoo>(a, cuda{0}, {.chunk = 1024});
    EXPECT_EQ(looked.estimated.exact, rows == most);
    EXPECT_NEAR(looked.ratio(), 1, rows == most ? 0 : 0.01);
  }
}

/// Then nothing may be left out: what stands beside the chunks and the table, which are a thousandth of most
/// matrices.
TEST(bccoo_sample, of_chunks_that_are_all_alike_is_right_to_the_byte) {
  const auto a = testing_support::matrix_from_rows<double>(
      600 * papers_chunk, 600 * papers_chunk, [](std::int64_t i) { return std::vector<std::int64_t>{i}; },
      [](std::int64_t i, std::size_t, std::int64_t) { return static_cast<double>(i % 3); });
  for (const resource& where : {resource(cpu{}), resource(cuda{0})}) {
    SCOPED_TRACE(name(where));
    const auto looked =
        look_at<bccoo>(a, where, {.chunk = papers_chunk, .codes = bccoo_codes::chunk_uniform});
    EXPECT_FALSE(looked.estimated.exact);
    EXPECT_EQ(looked.estimated.bytes, looked.measured.bytes);
  }
}

/// The last quarter of the chunks are far larger than the others.
TEST(bccoo_sample, meets_chunks_in_proportion) {
  constexpr std::int64_t rows = 400'000;
  const auto a = testing_support::matrix_from_rows<double>(
      rows, 1 << 30,
      [](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (std::int64_t k = 0; k < 4; ++k)
          of_row.push_back(i < rows * 3 / 4 ? 4 * i + k : (k << 28) + i * 7919 % (1 << 27));
        return of_row;
      },
      [](std::int64_t i, std::size_t k, std::int64_t) {
        return i < rows * 3 / 4 ? 1 : std::sin(static_cast<double>(4 * i) + static_cast<double>(k));
      });
  expect_near(a, 0.03);
}

/// Samples at one distance, of four chunks, would meet the same kind always.
TEST(bccoo_sample, samples_both_kinds_of_alternating_chunks) {
  constexpr std::int64_t chunks = 1024;
  constexpr std::int64_t rows = chunks * papers_chunk / 8;
  const auto first_kind = [](std::int64_t i) { return i * 8 / papers_chunk % 2 == 0; };
  const auto a = testing_support::matrix_from_rows<double>(
      rows, 1 << 20,
      [&](std::int64_t i) {
        std::vector<std::int64_t> of_row;
        for (std::int64_t k = 0; k < 8; ++k)
          of_row.push_back(first_kind(i) ? i + k : (k << 17) + i * 7919 % (1 << 16));
        return of_row;
      },
      [&](std::int64_t i, std::size_t k, std::int64_t) {
        return first_kind(i) ? 1 : std::sin(static_cast<double>(8 * i) + static_cast<double>(k));
      });
  const auto looked = look_at<bccoo>(a, cuda{0}, {.chunk = papers_chunk});
  EXPECT_FALSE(looked.estimated.exact);
  EXPECT_NEAR(looked.ratio(), 1, 0.15);
}

}  // namespace
}  // namespace gossamer::formats
