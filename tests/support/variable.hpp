// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace gossamer::testing_support {

/// An environment variable for as long as it stands; null: not set.
class variable {
 public:
  variable(const char* name, const char* text) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    text != nullptr ? setenv(name, text, 1) : unsetenv(name);
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace gossamer::testing_support
