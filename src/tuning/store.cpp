// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "tuning/hash.hpp"

namespace gossamer::inline v0::tuning {
namespace {

namespace fs = std::filesystem;

constexpr int layout = 1;  // of the files
constexpr std::size_t largest_file = std::size_t{1} << 20;

/// Empty for a relative path, which the specification of XDG_CACHE_HOME has ignored.
fs::path absolute_folder(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text == '/' ? fs::path(text) : fs::path();
}

fs::path file_of(const fs::path& folder, std::string_view key) {
  hasher h;
  for (const char c : key) h.add(static_cast<unsigned char>(c));
  return folder / fmt::format("{:x}.json", h.value());
}

/// An open file, closed at the end of the scope.
class descriptor {
 public:
  descriptor(const fs::path& file, int flags) : number_(::open(file.c_str(), flags | O_CLOEXEC)) {}
  explicit descriptor(int number) : number_(number) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  /// Some file systems report a full disk only here.
  bool close() { return number_ >= 0 && ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::optional<std::string> read_whole(const fs::path& file) {
  // Without O_NONBLOCK opening a pipe waits for a writer.
  const descriptor in(file, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (in.number() < 0 || ::fstat(in.number(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  if (info.st_size <= 0 || static_cast<std::size_t>(info.st_size) > largest_file) return {};
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  for (std::size_t filled = 0; filled < text.size();) {
    const ssize_t got = ::read(in.number(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    filled += static_cast<std::size_t>(got);
  }
  return text;
}

/// Beyond the limit on file sizes a write raises SIGXFSZ, which ends the process.
bool may_be_written(std::size_t bytes) {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes <= limit.rlim_cur;
}

bool write_all(int number, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(number, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Creates a file beside `file`. Processes that were killed may have left files of the same names: process
/// ids repeat.
std::pair<int, std::string> create_part(const fs::path& file) {
  static std::atomic<unsigned> counter{0};
  constexpr int most_names = 1000;
  std::string part;
  int number = -1;
  for (int tried = 0; tried < most_names; ++tried) {
    part = fmt::format("{}.{}.{}.part", file.native(), ::getpid(), ++counter);
    number = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0 || errno != EEXIST) break;
  }
  return {number, std::move(part)};
}

void write_whole(const fs::path& file, std::string_view text) {
  if (text.size() > largest_file || !may_be_written(text.size())) return;
  const auto [number, part] = create_part(file);
  descriptor out(number);
  if (out.number() < 0) return;
  const bool written = write_all(out.number(), text);
  if (!out.close() || !written || ::rename(part.c_str(), file.c_str()) != 0) ::unlink(part.c_str());
}

}  // namespace

fs::path cache_folder() {
  if (const char* const told = std::getenv("GOSSAMER_CACHE")) return told;
  if (const fs::path caches = absolute_folder("XDG_CACHE_HOME"); !caches.empty()) return caches / "gossamer";
  if (const fs::path home = absolute_folder("HOME"); !home.empty()) return home / ".cache" / "gossamer";
  return {};
}

std::optional<json> parse_kept(std::string_view text, std::string_view key) noexcept {
  try {
    json object = parse_json("cache", text);
    const json* const its_layout = object.find("layout");
    const json* const its_key = object.find("key");
    if (its_layout == nullptr || its_layout->integer() != layout || its_key == nullptr) return {};
    const auto* const key_text = its_key->get_if<std::string>();
    if (key_text == nullptr || *key_text != key) return {};
    return object;
  } catch (...) {
    return {};
  }
}

std::string kept_text(std::string_view key, json::object members) {
  json::object object = json_object({{"layout", layout}, {"key", key}});
  for (json::member& each : members) object.push_back(std::move(each));
  return json(std::move(object)).indented() + "\n";
}

std::optional<json> read_kept(const fs::path& folder, std::string_view key) noexcept {
  if (folder.empty()) return {};
  try {
    const std::optional<std::string> text = read_whole(file_of(folder, key));
    return text ? parse_kept(*text, key) : std::nullopt;
  } catch (...) {
    return {};
  }
}

void keep(const fs::path& folder, std::string_view key, json::object members) noexcept {
  if (folder.empty()) return;
  try {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    write_whole(file_of(folder, key), kept_text(key, std::move(members)));
  } catch (...) {
    // Not kept.
  }
}

}  // namespace gossamer::inline v0::tuning
