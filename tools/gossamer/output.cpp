// SPDX-License-Identifier: BSD-3-Clause
// The only writes to stdout, and to files that are not Matrix Market.
#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

#include "usage_error.hpp"

namespace gossamer::cli {
namespace {

[[noreturn]] void fail_stdout() {
  throw std::system_error(errno, std::system_category(), "cannot write to stdout");
}

void write_into(const std::filesystem::path& target, const std::filesystem::path& named,
                std::string_view text) {
  errno = 0;
  std::ofstream out(target, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out) return;
  const std::string reason = errno != 0 ? std::system_category().message(errno) : "unknown reason";
  fail_usage("{}: cannot write: {}", named.string(), reason);
}

}  // namespace

void print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_stdout();
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail_stdout();
}

void note(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string to_line(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void check_output(const std::filesystem::path& file) {
  if (file.empty()) return;
  std::error_code code;
  const auto status = std::filesystem::status(file, code);
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (std::filesystem::is_directory(status))
    code = std::make_error_code(std::errc::is_a_directory);
  else if (std::filesystem::exists(status) || ::access(folder.c_str(), W_OK) == 0)
    return;
  else
    code = std::error_code(errno, std::system_category());
  fail_usage("{}: cannot write: {}", file.string(), code.message());
}

void write_text_file(const std::filesystem::path& file, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    write_into(file, file, text);
    return;
  }
  const fs::path target = fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : file;
  fs::path beside = target;
  beside += fmt::format(".{}.part", ::getpid());
  try {
    write_into(beside, file, text);
  } catch (...) {
    fs::remove(beside, ignored);
    throw;
  }
  std::error_code code;
  fs::rename(beside, target, code);
  if (!code) return;
  fs::remove(beside, ignored);
  fail_usage("{}: cannot write: {}", file.string(), code.message());
}

}  // namespace gossamer::cli
