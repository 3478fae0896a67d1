// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/fail.hpp"
#include "core/parallel.hpp"

namespace gossamer::inline v0::io {
namespace {

struct descriptor {
  int number = -1;
  ~descriptor() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void fail_system(const std::filesystem::path& file, const char* what, int code) {
  fail(errc::io_error, "{}: {}: {}", file.string(), what, std::system_category().message(code));
}

std::vector<char> read_to_end(int number, const std::filesystem::path& file) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::vector<char> bytes;
  std::size_t size = 0;
  for (;;) {
    if (bytes.size() - size < step) bytes.resize(std::max(2 * bytes.size(), size + step));
    const ssize_t got = ::read(number, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system(file, "cannot read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

file_bytes::file_bytes(const std::filesystem::path& file) {
  descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (in.number < 0) fail_system(file, "cannot open", errno);
  struct stat info {};
  if (::fstat(in.number, &info) != 0) fail_system(file, "cannot read", errno);
  if (S_ISDIR(info.st_mode)) fail_system(file, "cannot read", EISDIR);
  const auto size = static_cast<std::size_t>(info.st_size);
  if (S_ISREG(info.st_mode) && size > 0) {
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, in.number, 0);
    if (mapping != MAP_FAILED) {
      ::madvise(mapping, size, MADV_SEQUENTIAL);
      mapping_ = mapping;
      view_ = {static_cast<const char*>(mapping), size};
      return;
    }
  }
  copy_ = read_to_end(in.number, file);
  view_ = {copy_.data(), copy_.size()};
}

void file_bytes::release(int threads) {
  if (mapping_ == nullptr) return;
  constexpr std::int64_t slice = std::int64_t{1} << 24;
  const auto size = static_cast<std::int64_t>(view_.size());
  exec::parallel_for((size + slice - 1) / slice, 1,
                     [&](std::int64_t begin, std::int64_t end) {
                       const auto first = static_cast<std::size_t>(begin * slice);
                       const auto last = static_cast<std::size_t>(std::min(size, end * slice));
                       ::madvise(static_cast<char*>(mapping_) + first, last - first, MADV_DONTNEED);
                     },
                     threads);
  ::munmap(mapping_, view_.size());
  mapping_ = nullptr;
  view_ = {};
}

file_bytes::~file_bytes() {
  if (mapping_ != nullptr) ::munmap(mapping_, view_.size());
}

}  // namespace gossamer::inline v0::io
