// SPDX-License-Identifier: BSD-3-Clause
// Which pages of fresh memory there are once it was touched, as the kernel says.
#include "core/first_touch.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "unit/helpers.hpp"

namespace {

namespace exec = gossamer::exec;
using gossamer_test::thread_count;

constexpr std::size_t huge_page = gossamer::core::huge_page_bytes;

/// Fresh memory in small pages.
class mapping {
 public:
  explicit mapping(std::size_t bytes)
      : bytes_(bytes),
        begin_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (begin_ != MAP_FAILED) ::madvise(begin_, bytes, MADV_NOHUGEPAGE);
  }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  ~mapping() { ::munmap(begin_, bytes_); }

  /// And the kernel says which of its pages are there.
  [[nodiscard]] bool is_there() const {
    return begin_ != MAP_FAILED && bytes_ > 0 && pages(0, bytes_).inside == 0;
  }
  [[nodiscard]] std::span<std::byte> all() const { return {static_cast<std::byte*>(begin_), bytes_}; }
  /// Of the pages that have some bytes of [first, behind): how many there are, and how many of the others.
  struct counted {
    std::size_t inside;
    std::size_t outside;
  };
  [[nodiscard]] counted pages(std::size_t first, std::size_t behind) const {
    std::vector<unsigned char> here((bytes_ + page() - 1) / page());
    EXPECT_EQ(::mincore(begin_, bytes_, here.data()), 0);
    counted c{0, 0};
    for (std::size_t p = 0; p < here.size(); ++p) {
      const bool is_inside = p * page() < behind && (p + 1) * page() > first;
      (is_inside ? c.inside : c.outside) += here[p] & 1u;
    }
    return c;
  }
  static std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

 private:
  std::size_t bytes_;
  void* begin_;
};

TEST(first_touch, makes_each_page_of_the_block_and_no_other) {
  for (const int threads : {2, 7}) {
    const thread_count team(threads);
    for (const std::size_t bytes : {2 * huge_page, 2 * huge_page + 1, 5 * huge_page + 12'345}) {
      const mapping memory(8 * huge_page);
      if (!memory.is_there()) GTEST_SKIP() << "this system does not say which pages of new memory are there";
      const std::size_t first = 3 * mapping::page() + 100;
      gossamer::core::first_touch(memory.all().subspan(first, bytes));
      const mapping::counted there = memory.pages(first, first + bytes);
      EXPECT_EQ(there.inside, (first + bytes - 1) / mapping::page() - first / mapping::page() + 1);
      EXPECT_EQ(there.outside, 0u);
    }
  }
}

/// By the page faults of each thread.
TEST(first_touch, gives_each_thread_as_many_whole_huge_pages) {
  constexpr std::size_t team = 2;
  constexpr std::size_t units = 5;
  const thread_count two(team);
  const mapping memory((units + 1) * huge_page);
  if (!memory.is_there()) GTEST_SKIP() << "this system does not say which pages of new memory are there";
  const auto faults = [&] {
    std::vector<std::ptrdiff_t> of_thread(team);
    gossamer::core::parallel(team, [&](int thread, int) {
      rusage used{};
      ::getrusage(RUSAGE_THREAD, &used);
      of_thread[static_cast<std::size_t>(thread)] = used.ru_minflt;
    });
    return of_thread;
  };
  const std::size_t begin = huge_page - reinterpret_cast<std::uintptr_t>(memory.all().data()) % huge_page;
  const std::vector<std::ptrdiff_t> before = faults();
  if (before[0] == 0 || before[1] == 0)
    GTEST_SKIP() << "this system has one thread for us, or does not count the page faults of a thread";
  gossamer::core::first_touch(memory.all().subspan(begin % huge_page, units * huge_page));
  const std::vector<std::ptrdiff_t> after = faults();
  const auto of_a_unit = static_cast<std::ptrdiff_t>(huge_page / mapping::page());
  const std::ptrdiff_t first = after[0] - before[0];
  const std::ptrdiff_t second = after[1] - before[1];
  // More of them are of what else there is, a sanitizer's memory say.
  EXPECT_GE(first, 3 * of_a_unit);
  EXPECT_GE(second, 2 * of_a_unit);
}

TEST(first_touch, leaves_alone_what_is_short_and_what_one_thread_fills) {
  const mapping memory(4 * huge_page);
  if (!memory.is_there()) GTEST_SKIP() << "this system does not say which pages of new memory are there";
  {
    const thread_count two(2);
    gossamer::core::first_touch(memory.all().first(2 * huge_page - 1));
    gossamer::core::first_touch({});
  }
  {
    const thread_count one(1);
    gossamer::core::first_touch(memory.all());
  }
  EXPECT_EQ(memory.pages(0, 4 * huge_page).inside, 0u);
}

TEST(first_touch, writes_only_the_block) {
  const thread_count two(2);
  std::vector<std::byte> bytes(3 * huge_page, std::byte{0xff});
  const std::size_t first = 77;
  const std::size_t size = 2 * huge_page + 500;
  gossamer::core::first_touch(std::span(bytes).subspan(first, size));
  const auto is_0 = [](std::byte b) { return b == std::byte{0}; };
  EXPECT_EQ(std::count_if(bytes.begin(), bytes.begin() + first, is_0), 0);
  EXPECT_EQ(std::count_if(bytes.begin() + first + size, bytes.end(), is_0), 0);
  EXPECT_GT(std::count_if(bytes.begin(), bytes.end(), is_0), 0);
}

}  // namespace
