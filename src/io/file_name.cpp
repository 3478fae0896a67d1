// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_name.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>

namespace gossamer::inline v0::io {
namespace {

/// With the slash; empty for a name alone.
std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? std::string() : std::string(real.get());
}

std::optional<std::string> link_at(const std::string& path) {
  std::string target(4096, '\0');  // the longest that Linux has
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size < 0) return {};
  target.resize(static_cast<std::size_t>(size));
  return target;
}

/// The number that the whole word is; -1 where it is none.
int number_of(std::string_view word) {
  int number = -1;
  const char* const end = word.data() + word.size();
  const auto [stop, code] = std::from_chars(word.data(), end, number);
  return code == std::errc{} && stop == end ? number : -1;
}

/// Known without /proc, which a container may lack.
int standard_stream(std::string_view path) {
  constexpr std::string_view names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  for (int number = 0; number < 3; ++number) {
    if (path == names[number]) return number;
  }
  return -1;
}

}  // namespace

file_name resolve(std::string_view name) {
  std::string path(name);
  for (int links = 0; links < 40; ++links) {
    if (const int number = standard_stream(path); number >= 0)
      return {.path = std::move(path), .descriptor = true, .own = number};
    const std::string folder(folder_of(path));
    const std::string real = real_path(folder.empty() ? "." : folder);
    if (real.starts_with("/proc/") && real.ends_with("/fd")) {
      const std::string own = real_path("/proc/self");
      const bool ours = real == own + "/fd" || real.starts_with(own + "/task/");
      int number = -1;
      if (ours) number = number_of(std::string_view(path).substr(folder.size()));
      return {.path = std::move(path), .descriptor = true, .own = number};
    }
    const std::optional<std::string> target = link_at(path);
    if (!target) return {.path = std::move(path)};
    path = target->starts_with('/') ? *target : folder + *target;
  }
  return {.path = std::string(name)};  // a circle, which every system call refuses
}

}  // namespace gossamer::inline v0::io
