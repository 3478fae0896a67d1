// SPDX-License-Identifier: BSD-3-Clause
#include "capi/status.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "gossamer/version.hpp"

namespace gossamer::inline v0::capi {
namespace {

/// Of this thread. In an array, so that it can be kept if there is no memory.
thread_local std::array<char, 1024> last_error{};

void keep(std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), last_error.size() - 1);
  std::copy_n(text.data(), size, last_error.data());
  last_error[size] = '\0';
}

}  // namespace

gossamer_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const error& problem) {
    keep(problem.what());
    return static_cast<gossamer_status>(problem.code());
  } catch (const std::bad_alloc&) {
    keep("out of host memory");
    return GOSSAMER_OUT_OF_MEMORY;
  } catch (const std::exception& problem) {
    keep(problem.what());
  } catch (...) {
    keep("an exception of an unknown type");
  }
  return GOSSAMER_INTERNAL_ERROR;
}

std::size_t size_of_structure(const void* from, std::size_t size, std::size_t least, std::string_view name) {
  constexpr std::size_t most = 4096;  // no version of any structure is larger
  std::size_t given = 0;
  std::memcpy(&given, from, sizeof given);
  if (given < least || given > most)
    fail(errc::invalid_argument, "{}->struct_size is {}; set it to the size of the structure, {} here", name,
         given, size);
  return given;
}

void copy_structure(const void* from, void* to, std::size_t size, std::size_t least, std::string_view name) {
  const std::size_t given = size_of_structure(from, size, least, name);
  const auto* const bytes = static_cast<const std::byte*>(from);
  const auto is_set = [](std::byte b) { return b != std::byte{0}; };
  if (given > size && std::any_of(bytes + size, bytes + given, is_set))
    fail(errc::invalid_argument, "{} has members that this version of the library does not know", name);
  std::memcpy(to, from, std::min(given, size));
}

}  // namespace gossamer::inline v0::capi

using namespace gossamer;

int32_t gossamer_version(void) {
  return 10000 * version_major + 100 * version_minor + version_patch;
}

int32_t gossamer_abi_version(void) {
  return GOSSAMER_ABI_VERSION;
}

const char* gossamer_last_error(void) {
  return capi::last_error.data();
}

const char* gossamer_status_name(gossamer_status status) {
  if (status == GOSSAMER_SUCCESS) return "success";
  if (status == GOSSAMER_INTERNAL_ERROR) return "internal_error";
  if (status < GOSSAMER_SUCCESS || status > GOSSAMER_INTERNAL_ERROR) return "unknown";
  return name(static_cast<errc>(status)).data();
}
