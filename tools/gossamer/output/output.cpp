// SPDX-License-Identifier: BSD-3-Clause
// The only writes to stdout and stderr.
#include "output/output.hpp"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "gossamer/error.hpp"
#include "gossamer/io.hpp"
#include "output/wrap.hpp"
#include "signals.hpp"

namespace gossamer::cli {
namespace {

constexpr std::size_t printed_at_once = std::size_t{1} << 16;

std::string& not_yet_written() {
  static std::string text;
  return text;
}

bool& stdout_has_document() {
  static bool has = false;
  return has;
}

/// What cannot be written after the work is a failed run, not bad usage.
void as_failed_run(const std::function<void()>& write) {
  try {
    write();
  } catch (const error& problem) {
    if (problem.code() != errc::io_error) throw;
    throw std::runtime_error(problem.what());
  }
}

}  // namespace

void print(std::string_view text) {
  not_yet_written() += text;
  if (not_yet_written().size() >= printed_at_once) flush_output();
}

void flush_output() {
  // Not stdio, which loses what a pipe that does not block has no room for.
  const std::string text = std::exchange(not_yet_written(), {});
  if (stdout_has_document())
    std::fwrite(text.data(), 1, text.size(), stderr);
  else if (!text.empty())
    as_failed_run([&] { write_file("/dev/stdout", text); });
}

void keep_stdout_for_document() {
  stdout_has_document() = true;
}

void note(std::string_view line) {
  std::string text(line);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void remark(std::string_view text) {
  note(wrapped(text));
}

std::string to_line(const nlohmann::ordered_json& object) {
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void write_output(const std::function<void()>& write) {
  flush_output();
  try {
    as_failed_run(write);
  } catch (...) {
    end_if_signalled();
    throw;
  }
  end_if_signalled();
}

void write_text_file(const std::filesystem::path& file, std::string_view text) {
  write_output([&] { write_file(file, text); });
}

}  // namespace gossamer::cli
