// SPDX-License-Identifier: BSD-3-Clause
// The host allocation hook. (The device's is in exec, beside the CUDA calls.)
#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <new>

#include "core/fail.hpp"
#include "core/first_touch.hpp"
#include "core/fork.hpp"
#include "gossamer/memory.hpp"

namespace gossamer::inline v0 {
namespace {

constexpr std::size_t alignment =
    128;  // two cache lines: what a GPU asks for at once where it reads host memory

/// Asks for huge pages inside a large block: a first touch of each small page costs the kernel more than
/// clearing it, and many threads that touch at once wait for each other there. Only a hint; errors do not
/// matter.
void advise_huge_pages(void* block, std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t huge = core::huge_page_bytes;
  constexpr std::size_t worth_it = 2 * huge;
  if (block == nullptr || bytes < worth_it) return;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t begin = (address + huge - 1) / huge * huge;
  const std::uintptr_t end = (address + bytes) / huge * huge;
  ::madvise(static_cast<char*>(block) + (begin - address), end - begin, MADV_HUGEPAGE);
#endif
}

void* default_allocate(std::size_t bytes, std::size_t align, int, void*) {
  void* const block = ::operator new (bytes, std::align_val_t{align}, std::nothrow);
  advise_huge_pages(block, bytes);
  return block;
}
void default_release(void* pointer, std::size_t, int, void*) {
  ::operator delete (pointer, std::align_val_t{alignment});
}
constexpr allocation_hook default_hook{default_allocate, default_release, nullptr};

std::mutex hook_mutex;
[[maybe_unused]] const int kept_free = core::keep_free_in_children<hook_mutex>();
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
