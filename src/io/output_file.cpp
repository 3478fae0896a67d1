// SPDX-License-Identifier: BSD-3-Clause
#include "io/output_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "core/fail.hpp"
#include "core/out_of_memory.hpp"
#include "gossamer/io.hpp"
#include "io/file_name.hpp"

namespace gossamer::inline v0::io {
namespace {

[[noreturn]] void fail_output(std::string_view name, int code, std::string_view more = {}) {
  fail(errc::io_error, "{}: cannot write: {}{}", name, std::system_category().message(code), more);
}

int open_again(const char* path, int flags, mode_t mode = 0) {
  int number = -1;
  do {
    number = ::open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
  } while (number < 0 && errno == EINTR);  // a FIFO waits for its reader
  return number;
}

/// Where a name leads to, and what is there.
struct output_place {
  file_name name;
  bool exists = false;
  struct stat info {};

  [[nodiscard]] bool is_stream() const { return name.descriptor || (exists && !S_ISREG(info.st_mode)); }
};

output_place find_place(const std::string& file) {
  output_place place{.name = resolve(file)};
  if (place.name.own >= 0) {
    const int flags = ::fcntl(place.name.own, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail_output(file, EBADF);
    return place;
  }
  // By the name as it was given: the system forbids to follow some links in a folder such as /tmp.
  place.exists = ::stat(file.c_str(), &place.info) == 0;
  if (!place.exists && errno != ENOENT) fail_output(file, errno);
  if (place.exists && S_ISDIR(place.info.st_mode)) fail_output(file, EISDIR);
  if (!place.exists && (place.name.path.empty() || place.name.path.ends_with('/'))) fail_output(file, ENOENT);
  return place;
}

/// Absent if it cannot be read.
std::optional<std::string> attribute(int file, const char* name) {
  const ssize_t size = ::fgetxattr(file, name, nullptr, 0);
  if (size < 0) return {};
  std::string value(static_cast<std::size_t>(size), '\0');
  if (::fgetxattr(file, name, value.data(), value.size()) != size) return {};
  return value;
}

/// Names of the extended attributes, access control lists among them, each followed by a zero byte. Empty if
/// the file system has none; absent if they cannot be read.
std::optional<std::string> attribute_names(int file) {
  const ssize_t size = ::flistxattr(file, nullptr, 0);
  if (size < 0) return errno == ENOTSUP || errno == ENOSYS ? std::optional(std::string()) : std::nullopt;
  std::string names(static_cast<std::size_t>(size), '\0');
  if (::flistxattr(file, names.data(), names.size()) != size) return {};
  return names;
}

bool same_attributes(int a, int b) {
  const std::optional<std::string> names = attribute_names(a);
  const std::optional<std::string> others = attribute_names(b);
  if (!names || !others || names->size() != others->size()) return false;
  for (std::size_t at = 0; at < names->size(); at = names->find('\0', at) + 1) {
    const std::optional<std::string> value = attribute(a, names->c_str() + at);
    if (!value || value != attribute(b, names->c_str() + at)) return false;
  }
  return true;
}

/// Gives the new file the old one's owner and mode; returns whether owner, mode and attributes agree.
bool stands_for(int made, int old, const struct stat& before) {
  struct stat now {};
  if (before.st_nlink != 1 || ::fstat(made, &now) != 0) return false;
  if (now.st_uid != before.st_uid || now.st_gid != before.st_gid) {
    if (::fchown(made, before.st_uid, before.st_gid) != 0) return false;
  }
  // After the owner, whose change takes bits away.
  if (::fchmod(made, before.st_mode & 07777) != 0 || ::fstat(made, &now) != 0) return false;
  return now.st_mode == before.st_mode && same_attributes(made, old);
}

/// Copies `size` bytes; 0 or the system's reason.
int copy_bytes(int from, off_t from_offset, int to, off_t to_offset, off_t size, std::span<char> buffer) {
  while (size > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<off_t>(size, static_cast<off_t>(buffer.size())));
    const ssize_t got = ::pread(from, buffer.data(), wanted, from_offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 ? errno : EIO;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(got - done), to_offset + done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return errno;
      done += put;
    }
    from_offset += got;
    to_offset += got;
    size -= got;
  }
  return 0;
}

/// Reserves disk space; returns 0 or the error. Returns 0 if the file system cannot reserve space.
int reserve(int file, off_t size) {
  if (size == 0 || ::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, size) == 0) return 0;
  const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO;
  return full ? errno : 0;
}

}  // namespace

output_file::output_file(const std::filesystem::path& file) : name_(file.native()) {
  const output_place place = find_place(name_);
  target_ = place.name.path;
  if (place.is_stream()) {
    open_stream(target_, place.name.own);
    return;
  }
  if (!place.exists) {
    if (!open_temporary(0666)) fail_system(errno);
    return;
  }
  old_ = descriptor(open_again(target_.c_str(), O_RDWR));
  if (!old_.is_open()) old_ = descriptor(open_again(target_.c_str(), O_WRONLY));
  if (!old_.is_open()) fail_system(errno);
  if (open_temporary(0600)) {
    replace_ = stands_for(out_.number(), old_.number(), place.info);
    // Bytes that will be copied need no name until then.
    if (!replace_ && ::unlink(temporary_.c_str()) == 0) temporary_.forget();
    return;
  }
  // Nothing can be made in the folder, so the bytes wait in memory.
  replace_ = false;
  out_ = descriptor(::memfd_create("gossamer", MFD_CLOEXEC));
  if (!out_.is_open()) fail_system(errno);
}

void output_file::open_stream(const std::string& path, int own) {
  // A copy of a descriptor shares its offset, which a file opened again would not. One of another process is
  // opened to append, for the same reason.
  out_ =
      descriptor(own >= 0 ? ::fcntl(own, F_DUPFD_CLOEXEC, 3) : open_again(path.c_str(), O_WRONLY | O_APPEND));
  if (!out_.is_open()) fail_system(errno);
}

bool output_file::open_temporary(mode_t mode) {
  static std::atomic<unsigned> counter = 0;
  const std::string_view target = target_;
  const std::size_t name = target.rfind('/') + 1;  // 0 where there is none
  // It has a name from the start: no call puts an unnamed file (O_TMPFILE) in the place of one that is there.
  // mkstemp would make a new file private; this way the caller's umask decides, as for any new file.
  for (int attempt = 0; attempt < 100; ++attempt) {
    unfinished_name temporary(fmt::format("{}.{:.64}.{}-{}.part", target.substr(0, name), target.substr(name),
                                          ::getpid(), counter++));
    out_ = descriptor(open_again(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL, mode));
    if (out_.is_open()) {
      temporary_ = std::move(temporary);
      return true;
    }
    const int code = errno;
    temporary.forget();
    errno = code;
    if (code != EEXIST) break;
  }
  return false;
}

void output_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(out_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      // Whoever shares a pipe with us may have made it non-blocking.
      pollfd room{.fd = out_.number(), .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (written < 0) fail_system(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void output_file::close(descriptor& which) {
  // Some file systems report a full disk only here.
  if (::close(which.release()) != 0 && errno != EINTR) fail_system(errno);
}

void output_file::commit() {
  if (!old_.is_open()) {
    close(out_);
    if (temporary_.empty()) return;
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_system(errno);
    temporary_.forget();
    return;
  }
  // A rename may reach the disk before the bytes do, and then a crash would leave neither file.
  if (::fsync(out_.number()) != 0 && errno != EINVAL && errno != ENOSYS) fail_system(errno);
  if (replace_ && std::rename(temporary_.c_str(), target_.c_str()) == 0) {
    temporary_.forget();
    return;
  }
  // Also what only the rename tells: a mount point, or a folder in which nothing may be renamed.
  overwrite();
}

void output_file::overwrite() {
  struct stat made {};
  struct stat old {};
  if (::fstat(out_.number(), &made) != 0 || ::fstat(old_.number(), &old) != 0) fail_system(errno);
  std::vector<char> buffer(std::size_t{1} << 20);  // before any byte of the old file changes
  // Append the old content to out_, as a backup; what lies behind the new end is not overwritten.
  const off_t kept = std::min(old.st_size, made.st_size);
  const bool readable = (::fcntl(old_.number(), F_GETFL) & O_ACCMODE) == O_RDWR;
  if (readable) {
    if (const int code = copy_bytes(old_.number(), 0, out_.number(), made.st_size, kept, buffer))
      fail_system(code);
  }
  if (const int code = reserve(old_.number(), made.st_size)) fail_system(code);
  const unfinished_overwrite in_progress;
  int code = copy_bytes(out_.number(), 0, old_.number(), 0, made.st_size, buffer);
  if (code == 0 && ::ftruncate(old_.number(), made.st_size) != 0) code = errno;
  if (code != 0) {
    const bool restored = readable &&
                          copy_bytes(out_.number(), made.st_size, old_.number(), 0, kept, buffer) == 0 &&
                          ::ftruncate(old_.number(), old.st_size) == 0;
    fail_system(code, restored ? "" : "; the file is overwritten in part");
  }
  close(old_);
}

void output_file::fail_system(int code, std::string_view more) const {
  fail_output(name_, code, more);
}

}  // namespace gossamer::inline v0::io

namespace gossamer::inline v0 {

void write_file(const std::filesystem::path& file, std::string_view bytes) {
  naming_out_of_memory(file.native(), [&] {
    io::output_file out(file);
    out.write(bytes);
    out.commit();
  });
}

void check_output(const std::filesystem::path& file) {
  naming_out_of_memory(file.native(), [&] {
    const std::string& name = file.native();
    const io::output_place place = io::find_place(name);
    if (place.name.own >= 0) return;
    const std::string& path = place.name.path;
    if (place.is_stream()) {
      // Not opened, since a FIFO would wait.
      if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) io::fail_output(name, errno);
    } else if (place.exists) {
      if (!io::descriptor(io::open_again(path.c_str(), O_WRONLY)).is_open()) io::fail_output(name, errno);
    } else {
      const std::string folder = path.substr(0, path.rfind('/') + 1);
      if (::faccessat(AT_FDCWD, folder.empty() ? "." : folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        io::fail_output(name, errno);
    }
  });
}

bool is_stream(const std::filesystem::path& file) {
  return naming_out_of_memory(file.native(), [&] {
    const io::file_name name = io::resolve(file.native());
    struct stat info {};
    return name.descriptor ||
           (::stat(file.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
  });
}

int own_descriptor(const std::filesystem::path& file) {
  return naming_out_of_memory(file.native(), [&] { return io::resolve(file.native()).own; });
}

}  // namespace gossamer::inline v0
