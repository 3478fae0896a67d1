// SPDX-License-Identifier: BSD-3-Clause
// One line on a terminal that says how far long work is; nothing where stderr is no terminal.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "gossamer/progress.hpp"

namespace gossamer::cli {

class progress_bar {
 public:
  /// `label` says what is worked on.
  explicit progress_bar(std::string label);
  ~progress_bar();
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;

  /// For the library; it must not outlive the bar. Empty where there is nobody to see it.
  [[nodiscard]] progress_callback callback();

  void show(std::string_view stage, double fraction);

  /// Before anything else is written to the terminal.
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  std::string label_;
  bool visible_;
  bool drawn_ = false;
  clock::time_point next_;
};

}  // namespace gossamer::cli
