// SPDX-License-Identifier: BSD-3-Clause
// How much memory of a device a plan takes, and host memory that is pinned for it.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bench_support/generate/generate.hpp"
#include "bench_support/oracle/oracle.hpp"
#include "core/parallel.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "exec/cuda/staged_copies.hpp"
#include "gossamer/gossamer.hpp"
#include "support/device_vectors.hpp"
#include "support/vectors.hpp"

namespace gossamer::testing_support {
namespace {

constexpr const char* some_matrix = "stencil(nx=200,ny=200,points=9)";
constexpr const char* long_vectors = "uniform(rows=300000,per_row=4)";

/// Counts what a hook gives: what is held, and the most that was.
struct counting_allocator {
  std::int64_t held = 0;
  std::int64_t most = 0;
  static void* allocate(std::size_t bytes, std::size_t, int, void* user) {
    auto& self = *static_cast<counting_allocator*>(user);
    void* pointer = nullptr;
    if (cudaMalloc(&pointer, bytes) != cudaSuccess) return nullptr;
    self.held += static_cast<std::int64_t>(bytes);
    self.most = std::max(self.most, self.held);
    return pointer;
  }
  static void release(void* pointer, std::size_t bytes, int, void* user) {
    static_cast<counting_allocator*>(user)->held -= static_cast<std::int64_t>(bytes);
    (void)cudaFree(pointer);
  }
};

void* allocate_pinned(std::size_t bytes, std::size_t, int, void*) {
  void* pointer = nullptr;
  return cudaMallocHost(&pointer, bytes) == cudaSuccess ? pointer : nullptr;
}
void release_pinned(void* pointer, std::size_t, int, void*) {
  (void)cudaFreeHost(pointer);
}

/// A hook for as long as it lives.
class hooked {
 public:
  using setter = allocation_hook (*)(allocation_hook) noexcept;
  hooked(setter set, const allocation_hook& hook) : set_(set), before_(set(hook)) {}
  ~hooked() { set_(before_); }
  hooked(const hooked&) = delete;
  hooked& operator=(const hooked&) = delete;

 private:
  setter set_;
  allocation_hook before_;
};

class device_memory : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

class device_memory_cuda : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no usable CUDA device on this machine";
  }
};

bool is_product_of(const plan<double>& made, const csr_view<double, std::int64_t>& of) {
  const auto x = random_vector<double>(of.cols, 3);
  auto y = poisoned<double>(of.rows);
  made.multiply(1.0, x, 0.0, y);
  return bench_support::verify<double, std::int64_t>(of, 1.0, x, 0.0, {}, y).passed();
}

std::vector<std::string> formats_of_gpus() {
  std::vector<std::string> names;
  for (const format_info& each : list_formats()) {
    if (contains(each.devices, device_set::cuda)) names.emplace_back(each.name);
  }
  return names;
}

/// Neither while the plan is made nor while values are changed, except for the scratch of products; and what
/// stays where does not change with the values.
TEST_P(device_memory, is_never_above_the_limit) {
  const auto a = bench_support::generate<double>(some_matrix);
  const auto changed = random_vector<double>(a.nnz(), 7);
  const csr_view<double, std::int64_t> other{
      .rows = a.rows, .cols = a.cols, .row_ptr = a.view().row_ptr, .col = a.view().col, .val = changed};
  inspect_options how{.format = GetParam(), .values_change = true};
  const auto unlimited = inspect(a.view(), cuda{0}, how);
  const std::int64_t whole = unlimited.bytes();
  const std::int64_t scratch = unlimited.make_workspace().bytes();
  for (const std::int64_t limit_of_plan : {std::int64_t{0}, whole / 3, whole, 2 * whole}) {
    SCOPED_TRACE(limit_of_plan);
    how.memory_limit = limit_of_plan;
    const std::int64_t limit = limit_of_plan + scratch;
    counting_allocator counter;
    const hooked hook(set_device_allocation_hook,
                      {counting_allocator::allocate, counting_allocator::release, &counter});
    {
      auto made = inspect(a.view(), cuda{0}, how);
      EXPECT_LE(counter.most, limit);
      const std::int64_t held = counter.held;
      const std::int64_t over_the_bus = made.bus_bytes();
      made.update_values(changed);
      EXPECT_LE(counter.most, limit);
      if (made.reencodes()) {
        EXPECT_LE(counter.held, limit);  // other values may take other codes
      } else {
        EXPECT_EQ(counter.held, held);
        EXPECT_EQ(made.bus_bytes(), over_the_bus);
      }
      EXPECT_TRUE(is_product_of(made, other));
      made.update_values(a.view().val);
      EXPECT_EQ(made.bus_bytes(), over_the_bus);
      EXPECT_TRUE(is_product_of(made, a.view()));
    }
    EXPECT_EQ(counter.held, 0);
  }
}

/// cudaHostRegister() refuses it, as invalid.
TEST_P(device_memory, may_be_host_memory_that_a_hook_has_pinned) {
  const hooked hook(set_host_allocation_hook, {allocate_pinned, release_pinned, nullptr});
  const auto a = bench_support::generate<double>(some_matrix);
  const auto made = inspect(a.view(), cuda{0}, {.format = GetParam(), .memory_limit = 0});
  EXPECT_EQ(made.bus_bytes(), made.streamed_bytes());
  EXPECT_TRUE(is_product_of(made, a.view()));
}

INSTANTIATE_TEST_SUITE_P(formats, device_memory, testing::ValuesIn(formats_of_gpus()),
                         [](const auto& each) { return each.param + "_cuda"; });

TEST_F(device_memory_cuda, of_long_vectors_is_staged_through_what_a_hook_has_pinned_cuda) {
  const hooked hook(set_host_allocation_hook, {allocate_pinned, release_pinned, nullptr});
  const auto a = bench_support::generate<double>(long_vectors);
  EXPECT_TRUE(is_product_of(inspect(a.view(), cuda{0}), a.view()));
}

TEST_F(device_memory_cuda, pieces_are_pinned_for_long_vectors_alone_cuda) {
  const std::int64_t pieces = std::min(exec::most_copying_threads, core::default_threads()) *
                              static_cast<std::int64_t>(exec::staged_copies::lane_bytes);
  for (const char* specification : {some_matrix, long_vectors}) {
    const auto a = bench_support::generate<double>(specification);
    const auto made = inspect(a.view(), cuda{0});
    auto room = made.make_workspace();
    const std::int64_t before = room.bytes();
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1);
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    made.multiply(1.0, std::span<const double>(x), 0.0, y, room);
    const std::int64_t vectors = (a.rows + a.cols) * static_cast<std::int64_t>(sizeof(double));
    EXPECT_EQ(room.bytes() - 2 * before, vectors + (specification == long_vectors ? pieces : 0));
  }
}

TEST_F(device_memory_cuda, pieces_are_kept_for_the_next_copies_but_not_those_of_a_hook_cuda) {
  constexpr std::size_t bytes = std::size_t{16} << 20;
  host_buffer<char> from(bytes);
  std::fill_n(from.data(), bytes, 'x');
  exec::device_buffer<char> to(bytes, 0);
  const auto copy = [&](exec::staged_copies& by) {
    by.to_device(to.data(), from.data(), bytes, {});
    exec::finish_device(0);
    EXPECT_GT(by.bytes(), 0);
  };
  std::vector<std::unique_ptr<exec::staged_copies>> taking;  // all that were kept before
  const auto nothing_is_kept = [&] {
    while (exec::staged_copies(0).ready(bytes))
      copy(*taking.emplace_back(std::make_unique<exec::staged_copies>(0)));
  };
  nothing_is_kept();
  {
    const hooked hook(set_host_allocation_hook, {allocate_pinned, release_pinned, nullptr});
    exec::staged_copies first(0);
    copy(first);
  }
  EXPECT_FALSE(exec::staged_copies(0).ready(bytes));
  {
    exec::staged_copies first(0);
    copy(first);
  }
  EXPECT_TRUE(exec::staged_copies(0).ready(bytes));
  exec::staged_copies second(0);
  copy(second);
  EXPECT_FALSE(exec::staged_copies(0).ready(bytes)) << "the second made pieces of its own";
}

/// Gives no more than so many bytes at once.
struct piecemeal_allocator {
  std::size_t most = 0;
  int refused = 0;
  static void* allocate(std::size_t bytes, std::size_t, int, void* user) {
    auto& self = *static_cast<piecemeal_allocator*>(user);
    if (bytes > self.most) ++self.refused;
    void* pointer = nullptr;
    return bytes <= self.most && cudaMalloc(&pointer, bytes) == cudaSuccess ? pointer : nullptr;
  }
  static void release(void* pointer, std::size_t, int, void*) { (void)cudaFree(pointer); }
};

TEST_F(device_memory_cuda, that_comes_in_no_one_piece_is_taken_array_by_array_cuda) {
  const auto a = bench_support::generate<double>(some_matrix);
  piecemeal_allocator pieces{.most = a.val.size() * sizeof(double)};
  const hooked hook(set_device_allocation_hook,
                    {piecemeal_allocator::allocate, piecemeal_allocator::release, &pieces});
  const auto made = inspect(a.view(), cuda{0}, {.format = "csr", .options = {{"kernel", "thread"}}});
  EXPECT_EQ(pieces.refused, 1);
  EXPECT_EQ(made.bus_bytes(), 0);
  EXPECT_TRUE(is_product_of(made, a.view()));
}

/// Rows and columns are the caller's; of a limit for the values twice there is room for new ones, and so no
/// need to pin.
TEST_F(device_memory_cuda, of_the_caller_does_not_count) {
  const auto a = bench_support::generate<double>(some_matrix);
  const array_on_device<std::int64_t> row_ptr(a.view().row_ptr, 0);
  const array_on_device<std::int32_t> col(a.view().col, 0);
  const array_on_device<double> val(a.view().val, 0);
  const csr_view<double, std::int64_t, device_space> there{
      .rows = a.rows, .cols = a.cols, .row_ptr = row_ptr.span(), .col = col.span(), .val = val.span()};
  const std::int64_t values = a.nnz() * static_cast<std::int64_t>(sizeof(double));
  counting_allocator counter;
  const hooked hook(set_device_allocation_hook,
                    {counting_allocator::allocate, counting_allocator::release, &counter});
  auto made = inspect(there, cuda{0},
                      {.format = "csr",
                       .options = {{"kernel", "thread"}},
                       .values_change = true,
                       .memory_limit = 2 * values});
  EXPECT_EQ(made.bus_bytes(), 0);
  const std::int64_t before = counter.held;
  made.update_values(a.view().val);
  EXPECT_EQ(counter.most, before + values);
  EXPECT_TRUE(is_product_of(made, a.view()));
}

/// The device's own figure says nothing of a pool's memory.
TEST_F(device_memory_cuda, behind_a_hook_is_not_known_cuda) {
  counting_allocator counter;
  EXPECT_LT(available_memory(cuda{0}), unknown_memory);
  const hooked hook(set_device_allocation_hook,
                    {counting_allocator::allocate, counting_allocator::release, &counter});
  EXPECT_EQ(available_memory(cuda{0}), unknown_memory);
  const auto a = bench_support::generate<double>(some_matrix);
  EXPECT_EQ(inspect(a.view(), cuda{0}).bus_bytes(), 0);
}

}  // namespace
}  // namespace gossamer::testing_support
