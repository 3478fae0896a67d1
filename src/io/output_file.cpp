// SPDX-License-Identifier: BSD-3-Clause
#include "io/output_file.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "core/fail.hpp"

namespace gossamer::inline v0::io {

output_file::output_file(const std::filesystem::path& file) : name_(file), target_(file) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(file, ignored)) {
    const auto behind = std::filesystem::weakly_canonical(file, ignored);
    if (!ignored) target_ = behind;
  }
  struct stat info {};
  const bool exists = ::stat(target_.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) fail_system(EISDIR);
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail_system(errno);
    return;
  }
  open_beside();
  if (exists && ::fchmod(descriptor_, info.st_mode & 07777) != 0 && errno != EPERM) {
    const int code = errno;
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
    fail_system(code);
  }
}

output_file::~output_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void output_file::open_beside() {
  static std::atomic<unsigned> counter = 0;
  // Strings, since libstdc++'s path is left broken where memory runs out while it is changed.
  const std::string_view target = target_.native();
  const std::size_t name = target.rfind('/') + 1;  // 0 where there is none
  // mkstemp would make the file private; this way the caller's umask decides, as for any new file.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string beside = fmt::format("{}.{:.64}.{}-{}.part", target.substr(0, name), target.substr(name),
                                     ::getpid(), counter++);
    descriptor_ = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      temporary_ = std::move(beside);
      return;
    }
    if (errno != EEXIST) break;
  }
  fail_system(errno);
}

void output_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_system(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void output_file::commit() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  // Some file systems report a full disk only here.
  if (::close(descriptor) != 0 && errno != EINTR) fail_system(errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail_system(errno);
  temporary_.clear();
}

void output_file::fail_system(int code) const {
  fail(errc::io_error, "{}: cannot write: {}", name_.string(), std::system_category().message(code));
}

}  // namespace gossamer::inline v0::io
