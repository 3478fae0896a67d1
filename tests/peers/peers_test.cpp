// SPDX-License-Identifier: BSD-3-Clause
// Every peer on the CPU gives the right product of every matrix that it takes; an absent one is skipped and
// says why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench_support/generate/generate.hpp"
#include "bench_support/peers/cusparse.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/gossamer.hpp"
#include "peers/check_peer.hpp"
#include "support/battery.hpp"

namespace gossamer::testing_support {
namespace {

template <class F>
std::pair<errc, std::string> error_of(F&& f) {
  try {
    f();
  } catch (const error& problem) {
    return {problem.code(), problem.what()};
  }
  return {errc{0}, "nothing was thrown"};
}

class cpu_peer : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const bench_support::peer_presence here = bench_support::find_peer_here(GetParam());
    if (!here.present) GTEST_SKIP() << GetParam() << " is absent: " << here.reason;
    EXPECT_NE(here.version, "");
  }
};

std::vector<std::string> cpu_peers() {
  std::vector<std::string> names;
  for (const bench_support::peer_info& each : bench_support::list_peers()) {
    if (contains(each.devices, device_set::cpu)) names.emplace_back(each.name);
  }
  return names;
}

template <value V, offset O>
void expect_right(const std::string& peer, const std::string& matrix, const csr_matrix<V, O>& a) {
  const bench_support::peer_info& info = bench_support::find_peer(peer);
  const auto check = [&](int threads, std::int64_t columns) {
    const auto product = bench_support::inspect_peer(peer, a.view(), cpu{.threads = threads}, columns);
    EXPECT_EQ(product.name(), peer);
    EXPECT_EQ(product.columns(), columns);
    EXPECT_EQ(product.rows(), a.rows);
    EXPECT_EQ(product.cols(), a.cols);
    EXPECT_EQ(product.nnz(), a.view().nnz());
    EXPECT_GT(product.inspect_seconds(), 0.0);
    EXPECT_NE(product.settings(), "");
    const std::string wrong = first_wrong_product(
        multiplied_by(peer, a.view()).view(),
        [&](V alpha, auto x, V beta, auto y) { product.multiply(alpha, x, beta, y); }, columns, info);
    EXPECT_EQ(wrong, "") << peer << " of " << matrix << " with " << threads << " threads, " << columns
                         << " vectors, " << value_name<V>() << ", " << offset_name<O>();
  };
  for (const std::int64_t columns : tested_columns(peer)) {
    for (const int threads : {1, 2}) check(threads, columns);
  }
}

TEST_P(cpu_peer, multiplies_every_matrix_that_has_nonzeros) {
  int taken = 0;
  for (const battery_entry& entry : battery()) {
    if (entry.matrix.view().nnz() == 0) {
      const auto [code, text] =
          error_of([&] { bench_support::inspect_peer(GetParam(), entry.matrix.view(), cpu{}); });
      EXPECT_EQ(code, errc::unsupported) << entry.name;
      EXPECT_THAT(text, testing::StartsWith("unsupported: " + GetParam() + ": a matrix of ")) << entry.name;
      continue;
    }
    expect_right(GetParam(), entry.name, converted<double, std::int64_t>(entry.matrix));
    expect_right(GetParam(), entry.name, converted<double, std::int32_t>(entry.matrix));
    expect_right(GetParam(), entry.name, converted<float, std::int64_t>(entry.matrix));
    ++taken;
  }
  EXPECT_GT(taken, 30);
}

/// Large enough that every library uses its threads.
TEST_P(cpu_peer, multiplies_a_large_matrix) {
  for (const char* text : {"uniform(rows=40000,cols=30000,per_row=20)",
                           "stencil(nx=40,ny=40,nz=40,points=27)", "power_law(rows=60000,mean=12)"}) {
    const auto a = bench_support::generate<double>(text);
    expect_right(GetParam(), text, a);
    expect_right(GetParam(), text, converted<float, std::int32_t>(a));
  }
}

TEST_P(cpu_peer, serves_two_products_alternately) {
  const auto a = bench_support::generate<double>("uniform(rows=500,cols=400,per_row=7)");
  const auto b = bench_support::generate<double>("uniform(rows=300,cols=600,per_row=5)");
  const bench_support::peer_info& info = bench_support::find_peer(GetParam());
  const std::int64_t columns = tested_columns(GetParam()).front();
  const auto first = bench_support::inspect_peer(GetParam(), a.view(), cpu{.threads = 1}, columns);
  auto second = bench_support::inspect_peer(GetParam(), b.view(), cpu{.threads = 2}, columns);
  const auto moved = std::move(second);
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_EQ(first_wrong_product(
                  multiplied_by(GetParam(), a.view()).view(), [&](auto... all) { first.multiply(all...); },
                  columns, info),
              "");
    EXPECT_EQ(first_wrong_product(
                  multiplied_by(GetParam(), b.view()).view(), [&](auto... all) { moved.multiply(all...); },
                  columns, info),
              "");
  }
}

TEST_P(cpu_peer, checks_its_arguments) {
  const bool transposed = bench_support::find_peer(GetParam()).transposed;
  const auto a = bench_support::generate<double>(transposed ? "uniform(rows=40,cols=50,per_row=7)"
                                                            : "uniform(rows=50,cols=40,per_row=7)");
  const std::string of_x = transposed ? "rows" : "columns";
  const std::string of_y = transposed ? "columns" : "rows";
  const auto product = bench_support::inspect_peer(GetParam(), a.view(), cpu{});
  std::vector<double> x(40);
  std::vector<double> y(50);
  const auto multiply = [&](std::span<const double> from, std::span<double> to) {
    return error_of([&] { product.multiply(1.0, from, 0.0, to); });
  };
  EXPECT_EQ(multiply(std::span(x).first(39), y),
            (std::pair{errc::size_mismatch, "multiply: x has 39 elements, the matrix has 40 " + of_x}));
  EXPECT_EQ(multiply(x, std::span(y).first(49)),
            (std::pair{errc::size_mismatch, "multiply: y has 49 elements, the matrix has 50 " + of_y}));
  EXPECT_EQ(multiply(std::span(y).first(40), y).first, errc::overlap);
  const auto several = bench_support::inspect_peer(GetParam(), a.view(), cpu{}, 3);
  EXPECT_EQ(error_of([&] { several.multiply(1.0, x, 0.0, y); }),
            (std::pair{errc::size_mismatch, "multiply: x has 40 elements, the matrix has 40 " + of_x +
                                                " and is prepared for 3 vectors"}));
  for (const std::int64_t odd : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 31})
    EXPECT_EQ(error_of([&] { bench_support::inspect_peer(GetParam(), a.view(), cpu{}, odd); }),
              (std::pair{errc::invalid_argument, "inspect_peer: columns " + std::to_string(odd) +
                                                     " is not between 1 and 2147483647"}));
  const auto on_device = error_of([&] {
    product.multiply(1.0, device_span<const double>(x.data(), 40), 0.0, device_span<double>(y.data(), 50),
                     {});
  });
  EXPECT_EQ(on_device,
            (std::pair{errc::unsupported,
                       "unsupported: " + GetParam() + ": multiply: device vectors given to a peer on cpu"}));
  EXPECT_EQ(error_of([&] { bench_support::inspect_peer(GetParam(), a.view(), cuda{0}); }),
            (std::pair{errc::unsupported, "unsupported: " + GetParam() + ": it does not run on cuda:0"}));
  auto bad = converted<double, std::int32_t>(a);
  bad.col[3] = static_cast<std::int32_t>(a.cols);
  EXPECT_EQ(error_of([&] { bench_support::inspect_peer(GetParam(), bad.view(), cpu{}); }).first,
            errc::invalid_matrix);
}

INSTANTIATE_TEST_SUITE_P(all, cpu_peer, testing::ValuesIn(cpu_peers()),
                         [](const auto& each) { return each.param; });

TEST(peers, are_listed_with_a_line_for_each_that_is_absent) {
  std::vector<std::string> names;
  for (const bench_support::peer_info& each : bench_support::list_peers()) {
    names.emplace_back(each.name);
    EXPECT_EQ(bench_support::find_peer(each.name).library, each.library);
    EXPECT_NE(each.help, "");
    EXPECT_NE(each.devices, device_set::none);
    const bench_support::peer_presence here = bench_support::find_peer_here(each.name);
    EXPECT_EQ(here.present, here.reason.empty()) << each.name;
    EXPECT_THAT(here.reason, testing::Not(testing::HasSubstr("\n"))) << each.name;
    EXPECT_TRUE(!here.present || !here.version.empty()) << each.name;
    if (!here.present) RecordProperty(std::string(each.name), here.reason);
  }
  EXPECT_THAT(
      names,
      testing::ElementsAre(
          "cusparse_csr_alg1", "cusparse_csr_alg2", "cusparse_coo", "cusparse_sliced_ell", "cusparse_bsr",
          "cusparse_csr_alg1_transposed", "cusparse_csr_alg2_transposed", "cusparse_spmvop_alg1",
          "cusparse_spmvop_alg2", "cusparse_spmm_csr_alg1_row", "cusparse_spmm_csr_alg1_column",
          "cusparse_spmm_csr_alg2_row", "cusparse_spmm_csr_alg3_row", "cusparse_spmm_csr_alg3_column",
          "cusparse_spmm_coo_alg4_row", "cusparse_spmm_csr_alg1_row_transposed", "mkl", "mkl_transposed",
          "mkl_mm_row", "mkl_mm_column", "eigen", "eigen_transposed", "eigen_spmm_row", "librsb"));
}

TEST(peers, an_unknown_name_lists_the_known_ones) {
  const auto [code, text] = error_of([] { bench_support::find_peer("cusparse"); });
  EXPECT_EQ(code, errc::invalid_argument);
  EXPECT_EQ(text,
            "peer = \"cusparse\" is not one of cusparse_csr_alg1, cusparse_csr_alg2, cusparse_coo, "
            "cusparse_sliced_ell, cusparse_bsr, cusparse_csr_alg1_transposed, cusparse_csr_alg2_transposed, "
            "cusparse_spmvop_alg1, cusparse_spmvop_alg2, "
            "cusparse_spmm_csr_alg1_row, cusparse_spmm_csr_alg1_column, cusparse_spmm_csr_alg2_row, "
            "cusparse_spmm_csr_alg3_row, cusparse_spmm_csr_alg3_column, cusparse_spmm_coo_alg4_row, "
            "cusparse_spmm_csr_alg1_row_transposed, mkl, mkl_transposed, mkl_mm_row, mkl_mm_column, eigen, "
            "eigen_transposed, eigen_spmm_row, librsb");
}

TEST(peers, of_a_gpu_do_not_run_on_the_cpu) {
  const auto a = bench_support::generate<double>("diagonal(n=10)");
  EXPECT_EQ(error_of([&] { bench_support::inspect_peer("cusparse_coo", a.view(), cpu{}); }),
            (std::pair{errc::unsupported, std::string("unsupported: cusparse_coo: it does not run on cpu")}));
}

TEST(peers, that_are_absent_are_refused_with_their_reason) {
  const auto a = bench_support::generate<double>("diagonal(n=10)");
  const bench_support::peer_presence here = bench_support::find_peer_here("cusparse_bsr");
  if (here.present) GTEST_SKIP() << "cuSPARSE is here";
  EXPECT_EQ(error_of([&] { bench_support::inspect_peer("cusparse_bsr", a.view(), cuda{0}); }),
            (std::pair{errc::unsupported, "unsupported: cusparse_bsr: " + here.reason}));
}

TEST(peers, of_spmvop_refuse_64_bit_offsets_and_several_vectors) {
  using bench_support::peers::cusparse::spmvop_kind;
  const auto a = bench_support::generate<double>("diagonal(n=10)");
  const auto narrow = converted<double, std::int32_t>(a);
  const auto prepare = [&](spmvop_kind which, bool wide, std::int64_t columns) {
    bench_support::peers::matrix<double> from{
        .rows = a.rows, .cols = a.cols, .col = a.view().col, .val = a.view().val};
    if (wide)
      from.wide_row_ptr = host_buffer<std::int64_t>::borrow(a.view().row_ptr);
    else
      from.row_ptr = host_buffer<std::int32_t>::borrow(narrow.view().row_ptr);
    return error_of([&] {
      bench_support::peers::cusparse::prepare<double>(which, std::move(from),
                                                      {.kind = device_set::cuda, .device = 0}, columns);
    });
  };
  for (const spmvop_kind which : {spmvop_kind::alg1, spmvop_kind::alg2}) {
    const std::string peer = "unsupported: " + std::string(bench_support::peers::cusparse::name_of(which));
    EXPECT_EQ(prepare(which, true, 1),
              (std::pair{errc::unsupported,
                         peer + ": 10 nonzeros need 64-bit offsets, which are not used with this peer"}));
    EXPECT_EQ(prepare(which, false, 3),
              (std::pair{errc::unsupported, peer + ": it multiplies one vector, not 3"}));
  }
}

TEST(peers, of_spmvop_are_absent_without_cusparse) {
  const bench_support::peer_presence cusparse = bench_support::find_peer_here("cusparse_csr_alg1");
  for (const char* peer : {"cusparse_spmvop_alg1", "cusparse_spmvop_alg2"}) {
    const bench_support::peer_presence here = bench_support::find_peer_here(peer);
    EXPECT_EQ(here.version, cusparse.version);
    const bool lacks_it = here.reason.find("SpMVOp") != std::string::npos;
    if (!lacks_it) {
      EXPECT_EQ(here.reason, cusparse.reason);
    }
    const auto a = bench_support::generate<double>("diagonal(n=10)");
    if (!here.present) {
      EXPECT_EQ(error_of([&] { bench_support::inspect_peer(peer, a.view(), cuda{0}); }),
                (std::pair{errc::unsupported, "unsupported: " + std::string(peer) + ": " + here.reason}));
    }
  }
}

}  // namespace
}  // namespace gossamer::testing_support
