// SPDX-License-Identifier: BSD-3-Clause
// Loaded before the C library: call number FAULT_CALL on a file that is opened for writing in FAULT_FOLDER
// fails. FAULT_KIND is an errno, "short" (half of a write is done) or "signal" (SIGTERM before the call).
// FAULT_NO_CREATE: no file can be made. FAULT_MARK is a file that is made when the call comes.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

template <class F>
F next_function(const char* name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

std::atomic<bool> watched[1024];
std::atomic<int> fault_calls{0};

const char* setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

bool in_folder(const char* path) {
  const char* const folder = setting("FAULT_FOLDER");
  return *folder != '\0' && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool is_watched(int file) {
  return file >= 0 && file < 1024 && watched[file];
}

int real_open(const char* path, int flags, mode_t mode) {
  return next_function<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}

enum class fault { none, fails, is_short };

/// Counts a call; sets errno where it is to fail.
fault next_fault() {
  if (++fault_calls != std::atoi(setting("FAULT_CALL"))) return fault::none;
  next_function<int (*)(int)>("close")(real_open(setting("FAULT_MARK"), O_WRONLY | O_CREAT, 0600));
  const char* const kind = setting("FAULT_KIND");
  if (std::strcmp(kind, "short") == 0) return fault::is_short;
  if (std::strcmp(kind, "signal") == 0) ::raise(SIGTERM);
  errno = std::atoi(kind);
  return errno == 0 ? fault::none : fault::fails;
}

bool fails(int file) {
  return is_watched(file) && next_fault() == fault::fails;
}

int open_watched(const char* path, int flags, mode_t mode) {
  const bool ours = in_folder(path) && (flags & O_ACCMODE) != O_RDONLY;
  if (ours && (flags & O_CREAT) != 0 && *setting("FAULT_NO_CREATE") != '\0') {
    errno = EACCES;
    return -1;
  }
  if (ours && next_fault() == fault::fails) return -1;
  const int file = real_open(path, flags, mode);
  if (ours && file >= 0 && file < 1024) watched[file] = true;
  return file;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_watched(path, flags, mode);
}

int memfd_create(const char* name, unsigned flags) {
  if (next_fault() == fault::fails) return -1;
  const int file = next_function<int (*)(const char*, unsigned)>("memfd_create")(name, flags);
  if (file >= 0 && file < 1024) watched[file] = true;
  return file;
}

int close(int file) {
  const bool failing = fails(file);
  const int code = errno;
  if (file >= 0 && file < 1024) watched[file] = false;
  const int result = next_function<int (*)(int)>("close")(file);
  if (failing) errno = code;
  return failing ? -1 : result;
}

ssize_t write(int file, const void* bytes, size_t size) {
  const fault what = is_watched(file) ? next_fault() : fault::none;
  if (what == fault::fails) return -1;
  return next_function<ssize_t (*)(int, const void*, size_t)>("write")(
      file, bytes, what == fault::is_short ? (size + 1) / 2 : size);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  const fault what = is_watched(file) ? next_fault() : fault::none;
  if (what == fault::fails) return -1;
  return next_function<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite")(
      file, bytes, what == fault::is_short ? (size + 1) / 2 : size, offset);
}

int fsync(int file) {
  return fails(file) ? -1 : next_function<int (*)(int)>("fsync")(file);
}

int fchmod(int file, mode_t mode) noexcept {
  return fails(file) ? -1 : next_function<int (*)(int, mode_t)>("fchmod")(file, mode);
}

int fchown(int file, uid_t user, gid_t group) noexcept {
  return fails(file) ? -1 : next_function<int (*)(int, uid_t, gid_t)>("fchown")(file, user, group);
}

int ftruncate(int file, off_t size) noexcept {
  return fails(file) ? -1 : next_function<int (*)(int, off_t)>("ftruncate")(file, size);
}

int fallocate(int file, int mode, off_t offset, off_t size) {
  return fails(file) ? -1
                     : next_function<int (*)(int, int, off_t, off_t)>("fallocate")(file, mode, offset, size);
}

int rename(const char* from, const char* to) noexcept {
  if (in_folder(to) && next_fault() == fault::fails) return -1;
  return next_function<int (*)(const char*, const char*)>("rename")(from, to);
}

int unlink(const char* path) noexcept {
  if (in_folder(path) && next_fault() == fault::fails) return -1;
  return next_function<int (*)(const char*)>("unlink")(path);
}

}  // extern "C"
