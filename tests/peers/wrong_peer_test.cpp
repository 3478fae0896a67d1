// SPDX-License-Identifier: BSD-3-Clause
// Peers that are wrong on purpose: the check that passes the real ones finds each of them.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gossamer::testing_support
