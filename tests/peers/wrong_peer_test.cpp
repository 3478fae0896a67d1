// SPDX-License-Identifier: BSD-3-Clause
// Peers that are wrong on purpose: the check that passes the real ones finds each of them.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "bench_support/generate/generate.hpp"
#include "bench_support/peers/peer.hpp"
#include "bench_support/peers/peers.hpp"
#include "gossamer/gossamer.hpp"
#include "peers/check_peer.hpp"

namespace gossamer::testing_support {
namespace {

using faults = std::function<void(double alpha, const csr_matrix<double, std::int64_t>& a, const double* x,
                                  double beta, const std::vector<double>& before, std::vector<double>& y)>;

/// A right product, and then what `spoil` makes of it.
class spoilt_peer final : public bench_support::peers::peer_base<double> {
 public:
  spoilt_peer(const csr_matrix<double, std::int64_t>& a, faults spoil) : a_(a), spoil_(std::move(spoil)) {
    facts = {.name = "spoilt",
             .where = cpu{},
             .rows = a.rows,
             .cols = a.cols,
             .nnz = a.view().nnz(),
             .inspect_seconds = 1};
  }
  void multiply_host(double alpha, const double* x, double beta, double* y) const override {
    const std::vector<double> before(y, y + a_.rows);
    std::vector<double> sum(before.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      for (auto k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
        sum[i] += a_.val[static_cast<std::size_t>(k)] * x[a_.col[static_cast<std::size_t>(k)]];
      sum[i] = beta == 0 ? alpha * sum[i] : alpha * sum[i] + beta * before[i];
    }
    spoil_(alpha, a_, x, beta, before, sum);
    std::copy(sum.begin(), sum.end(), y);
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  [[nodiscard]] std::string_view settings() const noexcept override { return "spoilt"; }

 private:
  const csr_matrix<double, std::int64_t>& a_;
  faults spoil_;
};

std::string verdict(faults spoil) {
  const auto a = bench_support::generate<double>("uniform(rows=300,cols=200,per_row=9)");
  const bench_support::peer_product<double> product(std::make_unique<spoilt_peer>(a, std::move(spoil)));
  return first_wrong_product(a.view(), [&](auto... all) { product.multiply(all...); });
}

TEST(wrong_peer, is_distinguished_from_a_correct_one) {
  EXPECT_EQ(verdict([](auto&&...) {}), "");
}

TEST(wrong_peer, that_drops_the_last_entry_is_found) {
  EXPECT_NE(verdict([](double alpha, const auto& a, const double* x, double, const auto&, auto& y) {
              const std::size_t last = a.val.size() - 1;
              y.back() -= alpha * a.val[last] * x[a.col[last]];
            }),
            "");
}

TEST(wrong_peer, that_reads_y_where_beta_is_zero_is_found) {
  EXPECT_NE(verdict([](double, const auto&, const double*, double beta, const auto& before, auto& y) {
              for (std::size_t i = 0; i < y.size(); ++i)
                y[i] += beta * before[i] - (beta == 0 ? 0 : beta * before[i]);
            }),
            "");
}

TEST(wrong_peer, that_leaves_a_row_unwritten_is_found) {
  EXPECT_NE(verdict([](double, const auto&, const double*, double, const auto& before, auto& y) {
              y[7] = before[7];
            }),
            "");
}

TEST(wrong_peer, that_ignores_beta_is_found) {
  EXPECT_NE(verdict([](double, const auto&, const double*, double beta, const auto& before, auto& y) {
              for (std::size_t i = 0; i < y.size(); ++i) y[i] -= beta == 0 ? 0 : beta * before[i];
            }),
            "");
}

TEST(wrong_peer, that_computes_in_single_precision_is_found) {
  EXPECT_NE(verdict([](double, const auto&, const double*, double, const auto&, auto& y) {
              for (double& v : y) v = static_cast<float>(v);
            }),
            "");
}

/// Right except for the element `wrong` of Y; all of it if there is no such element.
std::string verdict_on_several(layout order, std::size_t wrong) {
  constexpr std::int64_t columns = 3;
  const auto a = bench_support::generate<double>("uniform(rows=30,cols=20,per_row=4)");
  const bench_support::peer_info peer{.order = order};
  const auto at = [&](std::int64_t rows, std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(order == layout::column_major ? i + j * rows : i * columns + j);
  };
  return first_wrong_product(
      a.view(),
      [&](double alpha, auto x, double beta, auto y) {
        for (std::int64_t j = 0; j < columns; ++j) {
          for (std::int64_t i = 0; i < a.rows; ++i) {
            double sum = 0;
            for (auto k = a.row_ptr[static_cast<std::size_t>(i)];
                 k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
              sum +=
                  a.val[static_cast<std::size_t>(k)] * x[at(a.cols, a.col[static_cast<std::size_t>(k)], j)];
            double& to = y[at(a.rows, i, j)];
            to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
          }
        }
        if (wrong < y.size()) y[wrong] += 1e-6;
      },
      columns, peer);
}

TEST(wrong_peer, of_several_vectors_is_found_in_each_column) {
  constexpr std::size_t none = 90;
  for (const layout order : {layout::column_major, layout::row_major}) {
    EXPECT_EQ(verdict_on_several(order, none), "");
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{31}, none - 1})
      EXPECT_NE(verdict_on_several(order, wrong), "") << wrong;
  }
}

TEST(wrong_peer, that_flushes_subnormal_numbers_is_right_only_where_it_says_so) {
  const std::array<std::int64_t, 2> row_ptr{0, 2};
  const std::array<std::int32_t, 2> col{0, 1};
  const std::array<float, 2> values{1e-38F, 5e-39F};
  const std::array<double, 2> same{1e-38, 5e-39};
  const csr_view<float, std::int64_t> a{.rows = 1, .cols = 2, .row_ptr = row_ptr, .col = col, .val = values};
  const csr_view<double, std::int64_t> b{.rows = 1, .cols = 2, .row_ptr = row_ptr, .col = col, .val = same};
  const bench_support::peer_info flushing{.flushes_f32 = true};
  const auto verdict_on = [](const auto& matrix, const bench_support::peer_info& peer, double kept) {
    return first_wrong_product(
        matrix,
        [&](auto alpha, auto x, auto beta, auto y) {
          using number = decltype(alpha);
          const double sum =
              matrix.val[0] * static_cast<double>(x[0]) + matrix.val[1] * static_cast<double>(x[1]);
          y[0] =
              static_cast<number>(alpha * kept * sum + (beta == 0 ? 0.0 : beta * static_cast<double>(y[0])));
        },
        1, peer);
  };
  EXPECT_EQ(verdict_on(a, {}, 1), "");
  EXPECT_NE(verdict_on(a, {}, 0), "");
  EXPECT_EQ(verdict_on(a, flushing, 0), "");
  EXPECT_NE(verdict_on(b, flushing, 0), "") << "f64 keeps them";
  EXPECT_NE(verdict_on(a, flushing, 100), "") << "the bound is not arbitrarily wide";
}

}  // namespace
}  // namespace gossamer::testing_support
