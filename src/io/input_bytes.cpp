// SPDX-License-Identifier: BSD-3-Clause
#include "io/input_bytes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/fail.hpp"
#include "io/file_name.hpp"

namespace gossamer::inline v0::io {
namespace {

[[noreturn]] void fail_system(const std::string& file, const char* what, int code) {
  fail(errc::io_error, "{}: {}: {}", file, what, std::system_category().message(code));
}

descriptor open_input(const std::string& file) {
  const int own = resolve(file).own;
  // To open /dev/stdin would begin a file again, and a socket has nothing that could be opened.
  int number = -1;
  do {
    number = own >= 0 ? ::fcntl(own, F_DUPFD_CLOEXEC, 3) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  } while (number < 0 && errno == EINTR);  // a FIFO waits for its writer
  if (number < 0) fail_system(file, "cannot open", errno);
  return descriptor(number);
}

std::vector<char> read_to_end(int number, const std::string& file) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::vector<char> bytes;
  std::size_t size = 0;
  for (;;) {
    if (bytes.size() - size < step) bytes.resize(std::max(2 * bytes.size(), size + step));
    const ssize_t got = ::read(number, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {
      // Whoever shares a pipe with us may have made it non-blocking.
      pollfd more{.fd = number, .events = POLLIN, .revents = 0};
      ::poll(&more, 1, -1);
      continue;
    }
    if (got < 0) fail_system(file, "cannot read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

input_bytes::input_bytes(const std::filesystem::path& file) : name_(file.native()) {
  descriptor in = open_input(name_);
  struct stat info {};
  if (::fstat(in.number(), &info) != 0) fail_system(name_, "cannot read", errno);
  if (S_ISDIR(info.st_mode)) fail_system(name_, "cannot read", EISDIR);
  // Files of /proc say that they are empty.
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    begin_ = static_cast<std::size_t>(std::max<off_t>(0, ::lseek(in.number(), 0, SEEK_CUR)));
    const auto end = static_cast<std::size_t>(info.st_size);
    size_ = end - std::min(begin_, end);
    ::lseek(in.number(), 0, SEEK_END);  // who shares the descriptor goes on behind what is read here
    ::posix_fadvise(in.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
    file_ = std::move(in);
    return;
  }
  copy_ = read_to_end(in.number(), name_);
  held_ = {copy_.data(), copy_.size()};
  size_ = held_.size();
}

void input_bytes::read(std::size_t offset, std::span<char> room) const {
  if (in_memory()) {
    std::memcpy(room.data(), held_.data() + offset, room.size());
    return;
  }
  while (!room.empty()) {
    const ssize_t got =
        ::pread(file_.number(), room.data(), room.size(), static_cast<off_t>(begin_ + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_system(name_, "cannot read", errno);
    if (got == 0) fail(errc::io_error, "{}: the file changed while it was read: it became shorter", name_);
    room = room.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::size_t>(got);
  }
}

std::string input_bytes::beginning(std::size_t count) const {
  std::string bytes(std::min(count, size_), '\0');
  read(0, bytes);
  return bytes;
}

}  // namespace gossamer::inline v0::io
