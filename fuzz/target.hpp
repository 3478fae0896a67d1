// SPDX-License-Identifier: BSD-3-Clause
// What the fuzz targets share: libFuzzer's entry, a way to say what was found, and a bound on memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "gossamer/memory.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gossamer::fuzz {

[[noreturn]] inline void found(const std::string& what) {
  std::fprintf(stderr, "found: %s\n", what.c_str());
  std::abort();
}

inline constexpr std::size_t alignment = 128;  // what the library asks for; sanitizers compare it at release

/// Refuses arrays over 16 MiB through the library's hook: a header may promise 2^31 - 1 rows.
inline void bound_memory() {
  static const bool done = [] {
    set_host_allocation_hook(
        {.allocate = [](std::size_t bytes, std::size_t asked, int, void*) -> void* {
           if (bytes > std::size_t{1} << 24 || asked > alignment) return nullptr;
           return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
         },
         .release = [](void* pointer, std::size_t, int,
                       void*) { ::operator delete (pointer, std::align_val_t{alignment}); },
         .user = nullptr});
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace gossamer::fuzz
