// SPDX-License-Identifier: BSD-3-Clause
// Progress comes on the calling thread and ends the reading where it says so; memory that runs out is
// reported.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "gossamer/memory.hpp"
#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

std::string large_text() {
  std::string text = "%%MatrixMarket matrix coordinate real general\n10 10 300000\n";
  for (int k = 0; k < 300000; ++k) text += "3 4 1.25\n";
  return text;
}

class reading_progress : public testing::TestWithParam<int> {};

TEST_P(reading_progress, is_reported_in_order_on_the_calling_thread) {
  const std::string text = large_text();
  const auto caller = std::this_thread::get_id();
  std::vector<double> fractions;
  const auto callback = [&](const progress& p) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(p.stage, "read");
    fractions.push_back(p.fraction);
    return true;
  };
  const auto got = parse_matrix_market<double>(
      text, "f", {.threads = GetParam(), .chunk_bytes = 10000, .progress = callback});
  EXPECT_EQ(got.matrix.nnz(), 300000);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  // With other threads at work there may be nothing left for this one between the first call and the last.
  ASSERT_GE(fractions.size(), GetParam() == 1 ? 3u : 2u);
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_EQ(fractions.back(), 1);
}

TEST_P(reading_progress, may_cancel_at_any_call) {
  const std::string text = large_text();
  for (const int last : {1, 2, GetParam() == 1 ? 3 : 1}) {
    int calls = 0;
    const auto callback = [&](const progress&) { return ++calls < last; };
    const auto got = error_of([&] {
      parse_matrix_market<double>(text, "f",
                                  {.threads = GetParam(), .chunk_bytes = 10000, .progress = callback});
    });
    ASSERT_TRUE(got);
    EXPECT_EQ(got->code, errc::cancelled);
    EXPECT_EQ(calls, last);
  }
}

TEST_P(reading_progress, lets_the_callback_s_own_exception_through) {
  const std::string text = large_text();
  const auto callback = [](const progress& p) -> bool {
    if (p.fraction > 0) throw std::domain_error("stop");
    return true;
  };
  EXPECT_THROW(parse_matrix_market<double>(
                   text, "f", {.threads = GetParam(), .chunk_bytes = 10000, .progress = callback}),
               std::domain_error);
}

INSTANTIATE_TEST_SUITE_P(io, reading_progress, testing::Values(1, 2, 4),
                         [](const auto& param) { return "threads_" + std::to_string(param.param); });

/// Refuses every array over `limit` bytes, and remembers the largest that was asked for.
class small_memory {
 public:
  explicit small_memory(std::size_t limit) {
    limit_ = limit;
    largest = 0;
    before_ = set_host_allocation_hook({.allocate = allocate, .release = release, .user = nullptr});
  }
  ~small_memory() { set_host_allocation_hook(before_); }
  small_memory(const small_memory&) = delete;
  small_memory& operator=(const small_memory&) = delete;

  static inline std::atomic<std::size_t> largest = 0;

 private:
  static void* allocate(std::size_t bytes, std::size_t alignment, int, void*) {
    std::size_t seen = largest;
    while (seen < bytes && !largest.compare_exchange_weak(seen, bytes)) {
    }
    if (bytes > limit_) return nullptr;
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void* pointer, std::size_t, int, void*) { std::free(pointer); }

  static inline std::size_t limit_ = 0;
  allocation_hook before_;
};

TEST(memory, that_runs_out_is_reported) {
  const std::string text = large_text();
  const small_memory memory(std::size_t{1} << 20);
  EXPECT_EQ(error_of([&] { parse_matrix_market<double>(text, "f"); })->code, errc::out_of_memory);
}

TEST(memory, is_never_taken_on_the_header_s_word) {
  const small_memory memory(std::size_t{1} << 20);
  for (const char* name : {"entries_huge", "entries_huge_symmetric", "entries_huge_without_body",
                           "array_huge", "array_huge_symmetric"}) {
    const auto file = data_folder() / "invalid" / (std::string(name) + ".mtx");
    EXPECT_EQ(error_of([&] { read_matrix_market<double>(file); })->code, errc::parse_error) << name;
  }
  EXPECT_LT(small_memory::largest, 1000u);
}

}  // namespace
}  // namespace gossamer::io_test
