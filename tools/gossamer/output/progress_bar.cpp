// SPDX-License-Identifier: BSD-3-Clause
// Draws over its own line; erases it before anything else is written.
#include "output/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gossamer::cli {
namespace {

constexpr std::string_view erase_line = "\r\033[K";

void write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

// The first picture waits: work that is over at once shows no bar.
progress_bar::progress_bar(std::string label)
    : label_(std::move(label)),
      visible_(::isatty(STDERR_FILENO) == 1),
      next_(clock::now() + std::chrono::milliseconds(300)) {}

progress_bar::~progress_bar() {
  clear();
}

void progress_bar::clear() {
  if (drawn_) write(erase_line);
  drawn_ = false;
}

progress_callback progress_bar::callback() {
  if (!visible_) return {};
  return [this](const progress& p) {
    show(p.stage, p.fraction);
    return true;
  };
}

void progress_bar::show(std::string_view stage, double fraction) {
  const auto now = clock::now();
  if (!visible_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  drawn_ = true;
  constexpr int width = 20;
  const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
  write(fmt::format("{}{:.36} {:.12} [{:#<{}}{:{}}]", erase_line, label_, stage, "", full, "", width - full));
}

}  // namespace gossamer::cli
