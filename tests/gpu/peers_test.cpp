// SPDX-License-Identifier: BSD-3-Clause
// Every peer on a CUDA device gives the right product of every matrix that it takes; an absent one is skipped
// and says why.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/columns.hpp"
#include "bench_support/peers/cusparse.hpp"
#include "bench_support/peers/peers.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "gossamer/gossamer.hpp"
#include "gpu/failing_allocator.hpp"
#include "peers/check_peer.hpp"
#include "support/battery.hpp"

namespace gossamer::testing_support {
namespace {

class gpu_peer : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const bench_support::peer_presence here = bench_support::find_peer_here(GetParam());
    if (!here.present) GTEST_SKIP() << GetParam() << " is absent: " << here.reason;
    EXPECT_NE(here.version, "");
    RecordProperty("version", here.version);
  }
};

std::vector<std::string> gpu_peers() {
  std::vector<std::string> names;
  for (const bench_support::peer_info& each : bench_support::list_peers()) {
    if (contains(each.devices, device_set::cuda)) names.emplace_back(each.name);
  }
  return names;
}

/// Host vectors there and back around one product in a stream of its own. `multiply` takes device pointers.
template <value V, class Multiply>
void staged(V alpha, std::span<const V> x, V beta, std::span<V> y, Multiply&& multiply) {
  const exec::device_guard guard(0);
  exec::device_buffer<V> x_on_device(x.size(), 0);
  exec::device_buffer<V> y_on_device(y.size(), 0);
  const exec::owned_stream stream;
  exec::copy_async(x_on_device.data(), x.data(), x.size_bytes(), exec::copy_kind::host_to_device,
                   stream.get());
  exec::copy_async(y_on_device.data(), y.data(), y.size_bytes(), exec::copy_kind::host_to_device,
                   stream.get());
  multiply(alpha, std::as_const(x_on_device).data(), beta, y_on_device.data(), stream.get());
  exec::copy_async(y.data(), y_on_device.data(), y.size_bytes(), exec::copy_kind::device_to_host,
                   stream.get());
  exec::synchronize(stream.get());
}

/// Whether the peer took the matrix; one that it refuses has a reason.
template <value V, offset O>
bool expect_right(const std::string& peer, const std::string& matrix, const csr_matrix<V, O>& a,
                  std::int64_t columns) {
  try {
    const auto product = bench_support::inspect_peer(peer, a.view(), cuda{0}, columns);
    EXPECT_GE(product.bytes(), a.view().nnz() * static_cast<std::int64_t>(sizeof(V)));
    EXPECT_NE(product.settings(), "");
    const auto multiply = [&](V alpha, auto x, V beta, auto y) {
      staged(alpha, x, beta, y, [&](V s, const V* from, V t, V* to, cuda_stream stream) {
        product.multiply(s, device_span<const V>(from, x.size()), t, device_span<V>(to, y.size()), stream);
      });
    };
    const std::string wrong = first_wrong_product(multiplied_by(peer, a.view()).view(), multiply, columns,
                                                  bench_support::find_peer(peer));
    EXPECT_EQ(wrong, "") << peer << " (" << product.settings() << ") of " << matrix << ", " << columns
                         << " vectors, " << value_name<V>() << ", " << offset_name<O>();
    return true;
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::unsupported) << problem.what();
    EXPECT_THAT(problem.what(), testing::StartsWith("unsupported: " + peer + ": ")) << matrix;
    return false;
  }
}

/// As above, by each number of vectors and in both precisions. All of these are taken, or none is.
template <value V, offset O>
bool expect_all_right(const std::string& peer, const std::string& matrix, const csr_matrix<V, O>& a) {
  const std::vector<std::int64_t> columns = tested_columns(peer);
  const bool took = expect_right(peer, matrix, a, columns.front());
  for (const std::int64_t each : columns) {
    if (each != columns.front()) {
      EXPECT_EQ(took, expect_right(peer, matrix, a, each));
    }
    EXPECT_EQ(took, expect_right(peer, matrix, converted<float, std::int32_t>(a), each));
  }
  return took;
}

TEST_P(gpu_peer, multiplies_every_matrix_that_it_takes) {
  int taken = 0;
  int given = 0;
  for (const battery_entry& entry : battery()) {
    if (entry.matrix.view().nnz() > 0) ++given;
    if (expect_all_right(GetParam(), entry.name, converted<double, std::int64_t>(entry.matrix))) ++taken;
  }
  EXPECT_GT(given, 30);
  if (GetParam() == "cusparse_bsr")
    EXPECT_GE(taken, 2);  // dense, fem_blocks
  else if (GetParam() == "cusparse_sliced_ell")
    EXPECT_GE(taken, 20);  // all with rows of nearly one length
  else
    EXPECT_EQ(taken, given);
}

TEST_P(gpu_peer, multiplies_large_matrices) {
  for (const char* text : {"stencil(nx=40,ny=40,nz=40,points=27,dof=3)", "power_law(rows=200000,mean=12)"}) {
    const bool blocks = std::string_view(text).starts_with("stencil");
    const auto a = bench_support::generate<double>(text);
    const bool took = expect_all_right(GetParam(), text, a);
    if (blocks || GetParam().find("_csr_") != std::string::npos ||
        GetParam().find("_coo") != std::string::npos || GetParam().find("_spmvop_") != std::string::npos) {
      EXPECT_TRUE(took);
    }
  }
}

/// Matrices of so many nonzeros are too large for a test, so the 64-bit forms are asked for alone.
template <class Kind>
void expect_right_with_64_bit_indices(const std::string& peer, const std::vector<Kind>& kinds) {
  const auto a = bench_support::generate<double>("stencil(nx=9,ny=10,nz=11,points=27,dof=2)");
  const bench_support::peer_info& info = bench_support::find_peer(peer);
  for (const Kind which : kinds) {
    if (bench_support::peers::cusparse::name_of(which) != peer) continue;
    const std::int64_t columns = tested_columns(peer).front();
    const auto product = bench_support::peers::cusparse::prepare<double>(
        which,
        {.rows = a.rows,
         .cols = a.cols,
         .row_ptr = {},
         .wide_row_ptr = host_buffer<std::int64_t>::borrow(a.row_ptr.span()),
         .col = a.view().col,
         .val = a.view().val},
        {.kind = device_set::cuda, .device = 0}, columns);
    EXPECT_THAT(std::string(product->settings()), testing::StartsWith("int64"));
    const auto multiply = [&](double alpha, auto x, double beta, auto y) {
      staged(alpha, x, beta, y, [&](auto... all) { product->multiply_device(all...); });
    };
    EXPECT_EQ(first_wrong_product(multiplied_by(peer, a.view()).view(), multiply, columns, info), "");
  }
}

TEST_P(gpu_peer, multiplies_with_64_bit_indices) {
  using bench_support::peers::cusparse::kind;
  using bench_support::peers::cusparse::spmm_kind;
  expect_right_with_64_bit_indices<kind>(
      GetParam(), {kind::csr_alg1, kind::csr_alg2, kind::coo, kind::sliced_ell, kind::bsr,
                   kind::csr_alg1_transposed, kind::csr_alg2_transposed});
  expect_right_with_64_bit_indices<spmm_kind>(
      GetParam(),
      {spmm_kind::csr_alg1_row, spmm_kind::csr_alg1_column, spmm_kind::csr_alg2_row, spmm_kind::csr_alg3_row,
       spmm_kind::csr_alg3_column, spmm_kind::coo_alg4_row, spmm_kind::csr_alg1_row_transposed});
}

/// Each product brings its own vectors and stream, also while another of the same library is at work.
TEST_P(gpu_peer, serves_several_products_and_streams) {
  const auto a = bench_support::generate<double>("stencil(nx=40,ny=40,nz=40,points=7,dof=2)");
  const auto multiplied = multiplied_by(GetParam(), a.view());
  const std::int64_t columns = tested_columns(GetParam()).front();
  const layout order = bench_support::find_peer(GetParam()).order;
  const auto first = bench_support::inspect_peer(GetParam(), a.view(), cuda{0}, columns);
  const auto second = bench_support::inspect_peer(GetParam(), a.view(), cuda{0}, columns);
  const exec::device_guard guard(0);
  const auto n = static_cast<std::size_t>(a.rows * columns);
  constexpr std::size_t streams = 3;
  std::vector<exec::device_buffer<double>> x;
  std::vector<exec::device_buffer<double>> y;
  std::array<exec::owned_stream, streams> in;
  for (std::size_t s = 0; s < streams; ++s) {
    const auto from = random_vector<double>(a.cols * columns, static_cast<unsigned>(s));
    x.emplace_back(n, 0);
    y.emplace_back(n, 0);
    exec::copy_async(x[s].data(), from.data(), n * sizeof(double), exec::copy_kind::host_to_device, {});
  }
  exec::synchronize_device();
  for (std::size_t s = 0; s < streams; ++s) {
    const auto& product = s % 2 == 0 ? first : second;
    product.multiply(1.0, std::as_const(x[s]).span(), 0.0, device_span<double>(y[s].data(), n), in[s].get());
    exec::synchronize(in[s].get());  // cuSPARSE's buffer serves one product at a time
  }
  for (std::size_t s = 0; s < streams; ++s) {
    std::vector<double> got(n);
    exec::copy_async(got.data(), y[s].data(), n * sizeof(double), exec::copy_kind::device_to_host, {});
    exec::synchronize_device();
    const auto from = random_vector<double>(a.cols * columns, static_cast<unsigned>(s));
    EXPECT_TRUE((bench_support::verify_columns<double, std::int64_t>(multiplied.view(), columns, order, 1.0,
                                                                     from, 0.0, {}, got)
                     .passed()))
        << s;
  }
}

TEST_P(gpu_peer, checks_its_arguments) {
  const auto a = bench_support::generate<double>("stencil(nx=9,ny=10,nz=11,points=27,dof=2)");
  const auto product =
      bench_support::inspect_peer(GetParam(), a.view(), cuda{0}, tested_columns(GetParam()).front());
  std::vector<double> x(static_cast<std::size_t>(a.cols));
  std::vector<double> y(static_cast<std::size_t>(a.rows));
  EXPECT_THROW(product.multiply(1.0, x, 0.0, y), error);
  EXPECT_THROW(product.multiply(1.0, device_span<const double>(x.data(), 3), 0.0,
                                device_span<double>(y.data(), y.size()), {}),
               error);
  try {
    bench_support::inspect_peer(GetParam(), a.view(), cuda{99});
    ADD_FAILURE() << "there is no device 99";
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::no_device);
  }
}

TEST_P(gpu_peer, survives_the_failure_of_any_allocation) {
  const auto a = bench_support::generate<double>("stencil(nx=9,ny=10,nz=11,points=27,dof=2)");
  bool succeeded = false;
  int failures = 0;
  for (int allowed = 0; allowed < 20 && !succeeded; ++allowed) {
    failing_allocator allocator{.allowed = allowed};
    const allocation_hook previous =
        set_device_allocation_hook({failing_allocator::allocate, failing_allocator::release, &allocator});
    try {
      const auto product =
          bench_support::inspect_peer(GetParam(), a.view(), cuda{0}, tested_columns(GetParam()).front());
      succeeded = true;
    } catch (const error& problem) {
      EXPECT_EQ(problem.code(), errc::out_of_memory) << problem.what();
      ++failures;
    }
    EXPECT_EQ(allocator.held, 0) << "after " << allowed << " allocations";
    set_device_allocation_hook(previous);
  }
  EXPECT_TRUE(succeeded);
  EXPECT_GE(failures, 6);  // offsets, columns, values, two vectors, the buffer
}

INSTANTIATE_TEST_SUITE_P(all, gpu_peer, testing::ValuesIn(gpu_peers()),
                         [](const auto& each) { return each.param + "_cuda"; });

}  // namespace
}  // namespace gossamer::testing_support
