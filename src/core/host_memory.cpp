// SPDX-License-Identifier: BSD-3-Clause
// The host allocation hook. (The device's is in exec, beside the CUDA calls.)
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "core/fail.hpp"
#include "gossamer/host_buffer.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr std::size_t alignment =
    128;  // two cache lines: what a GPU asks for at once where it reads host memory

constexpr std::size_t huge_page = std::size_t{1} << 21;

/// What is taken for a block and how it is aligned. A large block begins with a huge page and, where its end has half of one or more, ends with
/// a whole one. Small pages lie anywhere in memory: of 1.5 MB in them a second-level cache of 2 MB could not hold all at once, and was half as fast
/// (docs/decisions/0020-sweeps.md). A first touch of each also costs the kernel more than clearing it, and many threads that touch at once
/// wait for each other there.
struct taken {
  std::size_t bytes;
  std::size_t align;
  std::size_t in_huge_pages;  ///< of the bytes, from the first on
};
constexpr taken taken_for(std::size_t bytes, std::size_t align) noexcept {
  constexpr std::size_t worth_it = huge_page / 2;
  if (bytes < worth_it) return {bytes, align, 0};
  const std::size_t whole = bytes / huge_page * huge_page;
  const std::size_t pages = bytes - whole >= worth_it ? whole + huge_page : whole;
  return {std::max(bytes, pages), std::max(align, huge_page), pages};
}

void* default_allocate(std::size_t bytes, std::size_t align, int, void*) {
  const taken t = taken_for(bytes, align);
  if (t.bytes > PTRDIFF_MAX - t.align) return nullptr;
  void* const block = std::aligned_alloc(t.align, (t.bytes + t.align - 1) / t.align * t.align);
#if defined(MADV_HUGEPAGE)
  // Only a hint; errors do not matter.
  if (block != nullptr && t.in_huge_pages > 0) ::madvise(block, t.in_huge_pages, MADV_HUGEPAGE);
#endif
  return block;
}
void default_release(void* pointer, std::size_t, int, void*) {
  std::free(pointer);
}
constexpr allocation_hook default_hook{default_allocate, default_release, nullptr};

std::mutex hook_mutex;
allocation_hook hook = default_hook;

}  // namespace

allocation_hook set_host_allocation_hook(allocation_hook replacement) noexcept {
  const std::lock_guard lock(hook_mutex);
  const allocation_hook previous = hook;
  hook = replacement.allocate != nullptr && replacement.release != nullptr ? replacement : default_hook;
  return previous;
}

namespace detail {

host_block allocate_host(std::size_t count, std::size_t element_bytes) {
  if (count == 0) return {};
  if (count > static_cast<std::size_t>(PTRDIFF_MAX) / element_bytes)
    fail(errc::out_of_memory, "out of host memory: {} elements of {} bytes", count, element_bytes);
  host_block block;
  {
    const std::lock_guard lock(hook_mutex);
    block.hook = hook;
    block.by_default = hook.allocate == default_allocate && hook.release == default_release;
  }
  block.pointer = block.hook.allocate(count * element_bytes, alignment, -1, block.hook.user);
  if (block.pointer == nullptr)
    fail(errc::out_of_memory, "out of host memory: {} bytes", count * element_bytes);
  return block;
}

void release_host(const host_block& block, std::size_t bytes) noexcept {
  if (block.pointer != nullptr) block.hook.release(block.pointer, bytes, -1, block.hook.user);
}

}  // namespace detail
}  // namespace gossamer::inline v0
