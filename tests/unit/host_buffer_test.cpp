// SPDX-License-Identifier: BSD-3-Clause
// Ownership, alignment, and the hook through which all host memory is taken.
#include "gossamer/memory.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <map>
#include <new>
#include <numeric>
#include <vector>

#include "unit/helpers.hpp"

namespace {

using gossamer::host_buffer;

static_assert(std::is_nothrow_move_constructible_v<host_buffer<double>>);
static_assert(std::is_nothrow_move_assignable_v<host_buffer<double>>);
static_assert(!std::is_copy_constructible_v<host_buffer<double>> &&
              !std::is_copy_assignable_v<host_buffer<double>>);

/// A hook that counts, checks that what comes back is what was given, and can refuse.
class counting_hook {
 public:
  counting_hook() : before_(gossamer::set_host_allocation_hook({allocate, release, this})) {}
  counting_hook(const counting_hook&) = delete;
  counting_hook& operator=(const counting_hook&) = delete;
  ~counting_hook() { restore(); }
  void restore() {
    if (!restored_) gossamer::set_host_allocation_hook(before_);
    restored_ = true;
  }

  std::map<void*, std::size_t> live;
  int calls = 0;
  int allowed = std::numeric_limits<int>::max();
  std::size_t last_bytes = 0;
  std::size_t last_alignment = 0;
  int last_device = 0;

 private:
  static void* allocate(std::size_t bytes, std::size_t alignment, int device, void* user) {
    auto& self = *static_cast<counting_hook*>(user);
    self.last_bytes = bytes;
    self.last_alignment = alignment;
    self.last_device = device;
    if (self.calls >= self.allowed) return nullptr;
    ++self.calls;
    void* const pointer = ::operator new (bytes, std::align_val_t{alignment});
    self.live[pointer] = bytes;
    return pointer;
  }
  static void release(void* pointer, std::size_t bytes, int device, void* user) {
    auto& self = *static_cast<counting_hook*>(user);
    EXPECT_EQ(device, -1);
    EXPECT_EQ(self.live.count(pointer), 1U);
    EXPECT_EQ(self.live[pointer], bytes);
    self.live.erase(pointer);
    ::operator delete (pointer, std::align_val_t{64});
  }

  gossamer::allocation_hook before_;
  bool restored_ = false;
};

TEST(host_buffer, is_empty_and_owned_by_default) {
  const counting_hook hook;
  const host_buffer<double> none;
  const host_buffer<double> zero(0);
  EXPECT_TRUE(none.empty() && zero.empty());
  EXPECT_TRUE(none.owned() && zero.owned());
  EXPECT_EQ(none.span().size(), 0U);
  EXPECT_EQ(hook.calls, 0) << "nothing needs no memory";
}

TEST(host_buffer, owns_aligned_memory_that_can_be_written) {
  for (const std::size_t size : {1U, 3U, 64U, 1000U}) {
    host_buffer<char> b(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0U);
    EXPECT_EQ(b.size(), size);
    EXPECT_TRUE(b.owned());
    for (std::size_t i = 0; i < size; ++i) b[i] = static_cast<char>(i);
    EXPECT_EQ(b.span()[size - 1], static_cast<char>(size - 1));
  }
}

TEST(host_buffer, borrows_without_copying_or_releasing) {
  counting_hook hook;
  std::vector<double> mine(10);
  std::iota(mine.begin(), mine.end(), 0);
  {
    const auto b = host_buffer<double>::borrow(mine);
    EXPECT_EQ(b.data(), mine.data());
    EXPECT_EQ(b.size(), 10U);
    EXPECT_FALSE(b.owned());
    EXPECT_EQ(b[7], 7);
  }
  EXPECT_EQ(hook.calls, 0);
  EXPECT_EQ(mine[9], 9);
}

TEST(host_buffer, moves_and_leaves_nothing_behind) {
  counting_hook hook;
  {
    host_buffer<int> a(5);
    a[4] = 44;
    const int* const where = a.data();
    host_buffer<int> b(std::move(a));
    EXPECT_EQ(b.data(), where);
    EXPECT_EQ(b[4], 44);
    EXPECT_EQ(a.size(), 0U);  // NOLINT(bugprone-use-after-move): the state after a move is promised
    EXPECT_EQ(a.data(), nullptr);
    EXPECT_TRUE(a.owned());

    host_buffer<int> c(7);
    EXPECT_EQ(hook.live.size(), 2U);
    c = std::move(b);
    EXPECT_EQ(c.data(), where);
    EXPECT_EQ(c.size(), 5U);
    EXPECT_EQ(b.size(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(hook.live.size(), 1U) << "what c held goes back at once";

    host_buffer<int>& same = c;
    c = std::move(same);
    EXPECT_EQ(c.data(), where);
    EXPECT_EQ(c.size(), 5U);

    c = {};
    EXPECT_TRUE(hook.live.empty());
  }
  EXPECT_TRUE(hook.live.empty());
}

TEST(host_buffer, a_moved_loan_stays_a_loan) {
  counting_hook hook;
  const std::vector<int> mine{1, 2, 3};
  auto a = host_buffer<int>::borrow(mine);
  host_buffer<int> b(3);
  b = std::move(a);
  EXPECT_EQ(b.span().data(), mine.data());
  EXPECT_FALSE(b.owned());
  EXPECT_TRUE(hook.live.empty());
}

TEST(allocation_hook, sees_the_size_the_alignment_and_the_host) {
  counting_hook hook;
  const host_buffer<double> b(100);
  EXPECT_EQ(hook.last_bytes, 800U);
  EXPECT_EQ(hook.last_alignment, 128U);
  EXPECT_EQ(hook.last_device, -1);
}

TEST(allocation_hook, memory_goes_back_through_the_hook_that_gave_it) {
  counting_hook first;
  host_buffer<double> b(10);
  EXPECT_EQ(first.live.size(), 1U);
  {
    counting_hook second;
    const host_buffer<double> c(10);
    b = {};
    EXPECT_TRUE(first.live.empty());
    EXPECT_EQ(second.live.size(), 1U);
  }
  host_buffer<double> d(10);
  EXPECT_EQ(first.live.size(), 1U) << "the second hook's end restored the first";
  first.restore();
  d = {};
  EXPECT_TRUE(first.live.empty()) << "after the hook was replaced, too";
}

TEST(allocation_hook, returns_the_hook_in_force_and_null_restores_the_default) {
  int user = 0;
  const auto give = [](std::size_t, std::size_t, int, void*) -> void* { return nullptr; };
  const auto take = [](void*, std::size_t, int, void*) {};
  const gossamer::allocation_hook original = gossamer::set_host_allocation_hook({give, take, &user});
  const gossamer::allocation_hook mine = gossamer::set_host_allocation_hook({});
  EXPECT_EQ(mine.user, &user);
  EXPECT_NO_THROW(host_buffer<int>(3));
  const gossamer::allocation_hook standard = gossamer::set_host_allocation_hook({give, nullptr, &user});
  EXPECT_EQ(standard.allocate, original.allocate);
  EXPECT_NO_THROW(host_buffer<int>(3)) << "half a hook is none";
  gossamer::set_host_allocation_hook(original);
}

TEST(allocation_hook, a_refusal_is_out_of_memory) {
  counting_hook hook;
  hook.allowed = 0;
  gossamer_test::expect_error(gossamer::errc::out_of_memory, "out of host memory: 800 bytes",
                              [] { const host_buffer<double> b(100); });
}

TEST(allocation_hook, a_size_that_overflows_never_reaches_the_hook) {
  const counting_hook hook;
  const std::size_t huge = std::numeric_limits<std::size_t>::max() / 8 + 2;
  gossamer_test::expect_error(gossamer::errc::out_of_memory, testing::HasSubstr("elements of 8 bytes"),
                              [&] { const host_buffer<double> b(huge); });
  EXPECT_EQ(hook.last_bytes, 0U);
}

TEST(allocation_hook, no_failing_allocation_leaks) {
  const std::vector<std::int32_t> row{2, 0, 1, 0};
  const std::vector<std::int32_t> col{0, 1, 2, 0};
  const std::vector<double> val{1, 2, 3, 4};
  const gossamer::coo_view<double> coo{.rows = 3, .cols = 3, .row = row, .col = col, .val = val};
  int failures = 0;
  for (int allowed = 0; allowed < 10; ++allowed) {
    counting_hook hook;
    hook.allowed = allowed;
    try {
      const auto a = gossamer::csr_from_coo<double, std::int32_t>(coo);
      const auto b = gossamer::copy<double, std::int64_t>(a.view());
      EXPECT_EQ(b.nnz(), 4);
    } catch (const gossamer::error& e) {
      EXPECT_EQ(e.code(), gossamer::errc::out_of_memory);
      ++failures;
    }
    EXPECT_TRUE(hook.live.empty()) << "with " << allowed << " allocations allowed";
  }
  EXPECT_EQ(failures, 7) << "csr_from_coo takes four buffers, copy three";
}

}  // namespace
