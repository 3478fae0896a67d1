// SPDX-License-Identifier: BSD-3-Clause
// Plans over several parts and vectors in device memory: in place, on another device, over all of them; bit
// for bit what host vectors give.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "core/fail.hpp"
#include "gossamer/gossamer.hpp"
#include "gossamer/hybrid.hpp"
#include "hybrids/hybrid_plan.hpp"
#include "support/battery.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

/// What is made meanwhile is on that device.
class on_device {
 public:
  explicit on_device(int device) {
    check(cudaGetDevice(&before_));
    check(cudaSetDevice(device));
  }
  ~on_device() { (void)cudaSetDevice(before_); }
  on_device(const on_device&) = delete;
  on_device& operator=(const on_device&) = delete;

 private:
  int before_ = 0;
};

/// A vector of one device, or distributed like the rows of a plan.
template <class V>
class some_vector {
 public:
  some_vector(const plan<V>& made, const std::vector<V>& from, int device) : device_(device) {
    if (device_ < 0) {
      spread_.emplace(device_shares(made, static_cast<std::int64_t>(from.size())));
      spread_->copy_from(from);
      return;
    }
    const on_device guard(device_);
    plain_ = std::make_unique<device_vector<V>>(std::span<const V>(from));
  }
  [[nodiscard]] device_span<V> span() { return spread_ ? spread_->span() : plain_->span(); }
  [[nodiscard]] device_span<const V> read() const {
    return spread_ ? std::as_const(*spread_).span() : std::as_const(*plain_).span();
  }
  [[nodiscard]] std::vector<V> fetch() const {
    finish_all();
    if (!spread_) return plain_->fetch();
    std::vector<V> host(spread_->size());
    spread_->copy_to(host);
    return host;
  }
  static void finish_all() {
    for (int device = 0; device < cuda_device_count(); ++device) {
      const on_device guard(device);
      check(cudaDeviceSynchronize());
    }
  }

 private:
  int device_;
  std::unique_ptr<device_vector<V>> plain_;
  std::optional<distributed_vector<V>> spread_;
};

struct stream_of {
  explicit stream_of(int device) {
    const on_device guard(device);
    made = std::make_unique<stream>();
  }
  std::unique_ptr<stream> made;
};

struct device_layout {
  const char* name;
  const char* parts;
  std::vector<double> powers;
  int devices = 1;
  bool cores = false;
};

void PrintTo(const device_layout& l, std::ostream* out) {
  *out << l.name;
}

const std::vector<device_layout> device_layouts{
    {"one_cuda", "cuda:0", {1}},
    {"one_device_twice_cuda", "cuda:0,cuda:0", {0.31, 7.77}},
    {"many_cuda", "cuda:0,cuda:0,cuda:0,cuda:0,cuda:0", {1, 0, 2, 3, 5}},
    {"device_and_cores_cuda", "cuda:0,cpu:1,cpu:2", {5, 1, 2}, 1, true},
    {"cores_first_cuda", "cpu:2,cuda:0,cpu:1,cuda:0", {1, 3, 1, 2}, 1, true},
    {"two_devices_cuda", "cuda:0,cuda:1", {1, 1.7}, 2},
    {"two_devices_in_turn_cuda", "cuda:1,cuda:0,cuda:1", {1, 1, 2}, 2},
    {"two_devices_and_cores_cuda", "cpu:1,cuda:0,cuda:1", {1, 9, 7}, 2, true}};

class hybrid_device : public testing::TestWithParam<device_layout> {
 protected:
  void SetUp() override {
    if (GetParam().devices > cuda_device_count())
      GTEST_SKIP() << "needs " << GetParam().devices << " CUDA devices, there are " << cuda_device_count();
  }
  static hybrid where(partition_algorithm algorithm) {
    hybrid parts = parse_hybrid(GetParam().parts, GetParam().powers);
    parts.sharing.algorithm = algorithm;
    return parts;
  }
  /// -1: distributed.
  static std::vector<int> homes() {
    std::vector<int> all{-1};
    for (int device = 0; device < GetParam().devices; ++device) all.push_back(device);
    return all;
  }
};

/// The bits of the same plan's product by host vectors; twice with one workspace, the second time from
/// another device's stream.
template <class V>
void expect_bits_of_host_vectors(const plan<V>& made, int home, int y_home, int devices) {
  SCOPED_TRACE("x at " + std::to_string(home) + ", y at " + std::to_string(y_home));
  const auto x = random_vector<V>(made.cols(), 1);
  const auto old = random_vector<V>(made.rows(), 2);
  workspace room = made.make_workspace();
  const some_vector<V> x_on_device(made, x, home);
  const std::array scalars{std::pair{V{1}, V{0}}, std::pair{V(-0.7), V(1.3)}, std::pair{V{0}, V{2}},
                           std::pair{V{0}, V{0}}};
  int device = 0;
  for (const auto& [alpha, beta] : scalars) {
    const std::vector<V> before = beta == V{0} ? poisoned<V>(made.rows()) : old;
    std::vector<V> expected = before;
    made.multiply(alpha, x, beta, expected);
    some_vector<V> y_on_device(made, before, y_home);
    const stream_of s(device++ % devices);
    made.multiply(alpha, x_on_device.read(), beta, y_on_device.span(), s.made->handle, room);
    ASSERT_TRUE(same_bits(y_on_device.fetch(), expected)) << "alpha " << alpha << ", beta " << beta;
  }
}

/// Cores take no scattered rows of a device vector.
bool refuses_scattered_rows(const plan<double>& made) {
  const device_vector<double> x{std::span<const double>(random_vector<double>(made.cols(), 1))};
  device_vector<double> y(static_cast<std::size_t>(made.rows()));
  try {
    made.multiply(1, x.span(), 0, y.span(), {});
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::unsupported);
    EXPECT_THAT(problem.what(), testing::HasSubstr("pmf"));
    return true;
  }
  return false;
}

TEST_P(hybrid_device, gives_the_bits_of_host_vectors) {
  for (const battery_entry& entry : battery()) {
    for (const auto algorithm :
         {partition_algorithm::rows, partition_algorithm::nonzeros, partition_algorithm::pmf}) {
      SCOPED_TRACE(entry.name + ", " + std::string(name(algorithm)));
      const plan<double> made = inspect(entry.matrix.view(), where(algorithm), {.copy = true});
      if (GetParam().cores && algorithm == partition_algorithm::pmf && refuses_scattered_rows(made)) continue;
      for (const int home : homes()) {
        expect_bits_of_host_vectors(made, home, home, GetParam().devices);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(hybrid_device, takes_x_and_y_from_different_places) {
  const auto a = converted<float, std::int32_t>(bench_support::generate<double>("fem(nx=7,dof=2)"));
  const plan<float> made = inspect(a.view(), where(partition_algorithm::nonzeros), {.copy = true});
  for (const int home : homes()) {
    for (const int y_home : homes()) {
      expect_bits_of_host_vectors(made, home, y_home, GetParam().devices);
      if (HasFatalFailure()) return;
    }
  }
}

/// Each product reads what all parts of the one before wrote, with nothing between them but the stream.
TEST_P(hybrid_device, products_in_a_row_see_all_of_the_one_before) {
  // Of several times 2 MiB where there are two devices, so that both have of a distributed vector, and each
  // reads the other's across the cut.
  const auto a = bench_support::generate<double>(GetParam().devices > 1 ? "stencil(nx=1500,ny=2000,points=5)"
                                                                        : "stencil(nx=300,ny=300,points=9)");
  const plan<double> made = inspect(a.view(), where(partition_algorithm::nonzeros));
  const double alpha = 1.0 / 1024;
  std::vector<double> one = random_vector<double>(a.rows, 1);
  std::vector<double> other = random_vector<double>(a.rows, 2);
  for (const int home : homes()) {
    if (home < 0 && GetParam().devices > 1) {
      EXPECT_GT(distributed_vector<double>(device_shares(made, a.rows)).shares().size(), 1U);
    }
    some_vector<double> one_there(made, one, home);
    some_vector<double> other_there(made, other, home);
    std::vector<double> expected_one = one;
    std::vector<double> expected_other = other;
    const stream_of s(0);
    for (int i = 0; i < 20; ++i) {
      made.multiply(alpha, one_there.read(), -0.5, other_there.span(), s.made->handle);
      made.multiply(alpha, other_there.read(), -0.5, one_there.span(), s.made->handle);
    }
    for (int i = 0; i < 20; ++i) {
      made.multiply(alpha, expected_one, -0.5, expected_other);
      made.multiply(alpha, expected_other, -0.5, expected_one);
    }
    EXPECT_TRUE(same_bits(one_there.fetch(), expected_one)) << home;
    EXPECT_TRUE(same_bits(other_there.fetch(), expected_other)) << home;
  }
}

/// Too much of x is elsewhere to be read there one by one.
TEST_P(hybrid_device, copies_a_distributed_x_whose_columns_are_anywhere) {
  const auto a = bench_support::generate<double>("uniform(rows=600000,per_row=3)");
  const plan<double> made = inspect(a.view(), where(partition_algorithm::nonzeros));
  expect_bits_of_host_vectors(made, -1, -1, GetParam().devices);
}

struct counting {
  int calls = 0;
  int allowed = 1 << 30;
  static void* allocate(std::size_t bytes, std::size_t, int, void* user) {
    auto& self = *static_cast<counting*>(user);
    if (self.allowed-- <= 0) return nullptr;
    ++self.calls;
    void* pointer = nullptr;
    return cudaMalloc(&pointer, bytes) == cudaSuccess ? pointer : nullptr;
  }
  static void release(void* pointer, std::size_t, int, void*) { (void)cudaFree(pointer); }
  [[nodiscard]] allocation_hook hook() { return {allocate, release, this}; }
};

/// Until it goes, whatever a test throws.
struct counted_on_device {
  explicit counted_on_device(counting& by) : before(set_device_allocation_hook(by.hook())) {}
  counted_on_device(const counted_on_device&) = delete;
  counted_on_device& operator=(const counted_on_device&) = delete;
  ~counted_on_device() { set_device_allocation_hook(before); }
  allocation_hook before;
};

TEST_P(hybrid_device, allocates_once_and_replays_in_a_graph) {
  const auto a = bench_support::generate<double>("stencil(nx=100,ny=100,points=9)");
  constexpr int products = 3;  // the next one's kernels stand right behind those of the one before
  counting counter;
  const counted_on_device by(counter);
  for (const auto algorithm : {partition_algorithm::nonzeros, partition_algorithm::pmf}) {
    if (GetParam().cores) break;
    for (const int home : homes()) {
      const plan<double> made = inspect(a.view(), where(algorithm));
      workspace room = made.make_workspace();
      const auto x = random_vector<double>(a.cols, 1);
      const auto y = random_vector<double>(a.rows, 2);
      std::vector<double> expected = y;
      for (int i = 0; i < products; ++i) made.multiply(1.5, x, -0.5, expected);
      const some_vector<double> x_on_device(made, x, home);
      some_vector<double> once(made, y, home);
      some_vector<double> replayed(made, y, home);
      const stream_of s(0);
      for (int i = 0; i < products; ++i)
        made.multiply(1.5, x_on_device.read(), -0.5, once.span(), s.made->handle, room);
      EXPECT_TRUE(same_bits(once.fetch(), expected));
      const int calls = counter.calls;
      const std::int64_t bytes = room.bytes();
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t ready = nullptr;
      check(cudaStreamBeginCapture(s.made->handle, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < products; ++i)
        made.multiply(1.5, x_on_device.read(), -0.5, replayed.span(), s.made->handle, room);
      check(cudaStreamEndCapture(s.made->handle, &graph));
      EXPECT_EQ(counter.calls, calls);
      EXPECT_EQ(room.bytes(), bytes);
      check(cudaGraphInstantiate(&ready, graph, 0));
      check(cudaGraphLaunch(ready, s.made->handle));
      EXPECT_TRUE(same_bits(replayed.fetch(), expected)) << home;
      check(cudaGraphExecDestroy(ready));
      check(cudaGraphDestroy(graph));
    }
  }
}

TEST_P(hybrid_device, reports_times_of_parts) {
  const auto a = bench_support::generate<double>("stencil(nx=300,ny=300,points=9)");
  const plan<double> made = inspect(a.view(), where(partition_algorithm::nonzeros));
  const auto x = random_vector<double>(a.cols, 1);
  const some_vector<double> x_on_device(made, x, 0);
  some_vector<double> y_on_device(made, poisoned<double>(a.rows), 0);
  made.multiply(1, x_on_device.read(), 0, y_on_device.span(), {});
  for (const plan_part& each : made.parts()) EXPECT_EQ(each.seconds > 0, each.rows > 0);
  some_vector<double>::finish_all();
}

INSTANTIATE_TEST_SUITE_P(each, hybrid_device, testing::ValuesIn(device_layouts),
                         [](const auto& each) { return std::string(each.param.name); });

class hybrid_device_vectors : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

template <class Call>
std::pair<errc, std::string> thrown_by(Call&& call) {
  try {
    call();
  } catch (const error& problem) {
    return {problem.code(), problem.what()};
  }
  return {errc{}, "no error"};
}

/// Nothing is under way afterwards, and y is as it was: the buffer for scattered rows is taken before any is
/// written.
TEST_F(hybrid_device_vectors, survive_a_buffer_that_is_refused_cuda) {
  hybrid where = parse_hybrid("cuda:0,cuda:0");
  where.sharing.algorithm = partition_algorithm::pmf;
  const auto a = bench_support::generate<double>("power_law(rows=3000,mean=6)");
  const plan<double> made = inspect(a.view(), where);
  const auto x = random_vector<double>(a.cols, 1);
  const auto y = random_vector<double>(a.rows, 2);
  device_vector<double> x_on_device{std::span<const double>(x)};
  device_vector<double> y_on_device{std::span<const double>(y)};
  const stream s;
  for (int allowed = 0; allowed < 3;
       ++allowed) {  // the rows' numbers of both, then the first one's rows of y
    counting counter{.allowed = allowed};
    const counted_on_device by(counter);
    EXPECT_EQ(thrown_by([&] {
                made.multiply(1.5, std::as_const(x_on_device).span(), -0.5, y_on_device.span(), s.handle);
              }).first,
              errc::out_of_memory);
    EXPECT_TRUE(same_bits(y_on_device.fetch(), y)) << allowed;
  }
  std::vector<double> expected = y;
  made.multiply(1.5, x, -0.5, expected);
  made.multiply(1.5, std::as_const(x_on_device).span(), -0.5, y_on_device.span(), s.handle);
  EXPECT_TRUE(same_bits(y_on_device.fetch(), expected));
}

TEST_F(hybrid_device_vectors, in_no_device_memory_are_refused_cuda) {
  const auto a = bench_support::generate<double>("diagonal(n=100)");
  const plan<double> made = inspect(a.view(), parse_hybrid("cuda:0,cuda:0"));
  std::vector<double> x(100, 1.0);
  device_vector<double> y(100);
  EXPECT_THAT(thrown_by([&] { made.multiply(1, device_span<const double>(x.data(), 100), 0, y.span(), {}); }),
              testing::Pair(errc::invalid_argument, testing::HasSubstr("x is in no memory")));
}

/// A device that fails when a product comes to it.
class failing_plan final : public plans::plan_base<f64> {
 public:
  using plan_base::plan_base;
  void multiply_host(const product<f64>&, plans::workspace_base&) const override {}
  void multiply_device(const product<f64>&, cuda_stream, plans::workspace_base&) const override {
    fail(errc::device_error, "the device fell off");
  }
  void update_host(const double*) override {}
  void update_device(const double*, cuda_stream) override {}
  void stored_values(const std::int64_t*, const double*, double*) const override {}
  [[nodiscard]] csr_matrix<double, std::int64_t> to_csr() const override { return {}; }
  struct nothing final : plans::workspace_base {
    using workspace_base::workspace_base;
    [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  };
  [[nodiscard]] std::unique_ptr<plans::workspace_base> make_workspace() const override {
    return std::make_unique<nothing>(id());
  }
  [[nodiscard]] std::int64_t bytes() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t slots() const noexcept override { return 0; }
  [[nodiscard]] std::int64_t streamed_bytes() const noexcept override { return 0; }
};

/// Parts that came before have written their rows in full when the error comes out; those that failed have
/// written nothing.
TEST_F(hybrid_device_vectors, of_a_device_that_fails_are_whole_in_each_part_cuda) {
  auto a = bench_support::generate<double>("stencil(nx=200,ny=100,points=5)");
  std::fill_n(a.val.data(), a.val.size(), 2.0);  // sums are exact, whatever kernel adds them
  const auto half = static_cast<std::int32_t>(a.rows / 2);
  for (const std::size_t broken : {0U, 1U}) {
    std::vector<hybrids::part<f64>> parts;
    for (const std::size_t k : {0U, 1U}) {
      std::vector<std::int32_t> rows(static_cast<std::size_t>(half));
      for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i] = static_cast<std::int32_t>(k) * half + static_cast<std::int32_t>(i);
      parts.push_back(hybrids::make_part<double, std::int64_t>(a.view(), rows, cuda{0}, {}));
      parts.back().number = k;
    }
    const std::int64_t cols = parts[broken].product.cols();
    parts[broken].product = plan<double>(std::make_unique<failing_plan>(
        plans::plan_facts{.format = "failing", .where = cuda{0}, .rows = half, .cols = cols}));
    auto base = std::make_unique<hybrids::hybrid_plan<f64>>(
        plans::plan_facts{.format = "hybrid", .where = cpu{}, .rows = a.rows, .cols = a.cols, .nnz = a.nnz()},
        std::move(parts), std::vector<plan_part>(2));
    base->finish(std::chrono::steady_clock::now());
    const plan<double> made(std::move(base));
    const auto x = integer_vector<double>(a.cols);
    const auto before = integer_vector<double>(a.rows);
    std::vector<double> whole = before;
    inspect(a.view(), cuda{0}).multiply(1.0, x, 2.0, whole);
    device_vector<double> x_on_device{std::span<const double>(x)};
    const stream s;
    for (int again = 0; again < 3; ++again) {  // the plan stays usable
      device_vector<double> y_on_device{std::span<const double>(before)};
      EXPECT_THAT(thrown_by([&] {
                    made.multiply(1, std::as_const(x_on_device).span(), 2, y_on_device.span(), s.handle);
                  }),
                  testing::Pair(errc::device_error, testing::HasSubstr("fell off")));
      const std::vector<double> y = y_on_device.fetch();
      for (std::size_t i = 0; i < y.size(); ++i) {
        const bool written = broken == 1 && i < static_cast<std::size_t>(half);
        ASSERT_EQ(y[i], written ? whole[i] : before[i]) << "row " << i << ", broken part " << broken;
      }
    }
  }
}

/// Cuts anywhere, empty shares, and a device that is named twice.
TEST_F(hybrid_device_vectors, that_are_distributed_keep_what_is_copied_cuda) {
  const int last = cuda_device_count() - 1;
  const std::vector<std::vector<device_share>> all{{{0, 1}},
                                                   {{0, 0}, {last, 5}},
                                                   {{0, 300001}, {last, 1}, {0, 0}, {last, 1234567}},
                                                   {{last, 262144}, {0, 262144}}};
  for (const auto& shares : all) {
    std::int64_t size = 0;
    for (const device_share& each : shares) size += each.size;
    distributed_vector<double> v(shares);
    ASSERT_EQ(v.size(), static_cast<std::size_t>(size));
    std::int64_t shown = 0;
    for (const device_share& each : v.shares()) {
      EXPECT_GT(each.size, 0);
      shown += each.size;
    }
    EXPECT_EQ(shown, size);
    const auto x = random_vector<double>(size, 3);
    v.copy_from(x);
    std::vector<double> back(x.size());
    distributed_vector<double> moved = std::move(v);
    moved.copy_to(back);
    EXPECT_TRUE(same_bits(back, x));
    EXPECT_EQ(thrown_by([&] { moved.copy_from(std::vector<double>(x.size() + 1)); }).first,
              errc::size_mismatch);
  }
  const distributed_vector<float> nothing(std::vector<device_share>{{0, 0}});
  EXPECT_EQ(nothing.size(), 0U);
  EXPECT_EQ(thrown_by([] { distributed_vector<float>(std::vector<device_share>{}); }).first,
            errc::invalid_argument);
  EXPECT_EQ(thrown_by([] {
              distributed_vector<float>(std::vector<device_share>{{0, -1}});
            }).first,
            errc::invalid_argument);
  EXPECT_EQ(thrown_by([] {
              distributed_vector<float>(std::vector<device_share>{{9999, 1}});
            }).first,
            errc::no_device);
}

TEST_F(hybrid_device_vectors, are_cut_where_the_plan_is_cuda) {
  const auto a = bench_support::generate<double>("stencil(nx=100,ny=100,points=5)");
  const auto sizes = [&](const char* parts, std::vector<double> powers, std::int64_t size) {
    hybrid where = parse_hybrid(parts, powers);
    where.sharing.algorithm = partition_algorithm::rows;
    std::vector<std::int64_t> all;
    for (const device_share& each : device_shares(inspect(a.view(), where), size)) all.push_back(each.size);
    return all;
  };
  EXPECT_EQ(sizes("cuda:0,cuda:0", {1, 3}, 10000), (std::vector<std::int64_t>{2500, 7500}));
  EXPECT_EQ(sizes("cuda:0,cuda:0", {1, 3}, 100), (std::vector<std::int64_t>{25, 75}));
  EXPECT_EQ(sizes("cpu:1,cuda:0,cpu:1,cuda:0", {1, 1, 1, 1}, 10000), (std::vector<std::int64_t>{7500, 2500}));
  EXPECT_EQ(thrown_by([&] { sizes("cpu:1", {1}, 10); }).first, errc::invalid_argument);
}

}  // namespace
}  // namespace gossamer::testing_support
