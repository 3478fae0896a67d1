// SPDX-License-Identifier: BSD-3-Clause
#include "io/text_source.hpp"

#include <algorithm>

namespace gossamer::inline v0::io {
namespace {

class plain_source final : public text_source {
 public:
  explicit plain_source(std::string_view text) : text_(text) {}

  text_block next(std::int64_t wanted, std::vector<char>&) override {
    const std::string_view rest = text_.substr(position_);
    block_end end = find_block_end(rest, wanted);
    if (!end.done) end.size = rest.size();
    position_ += end.size;
    return {rest.substr(0, end.size), end.overlong ? overlong_defect : std::string_view{}};
  }
  void rewind() override { position_ = 0; }
  [[nodiscard]] double fraction() const override {
    return text_.empty() ? 1 : static_cast<double>(position_) / static_cast<double>(text_.size());
  }
  [[nodiscard]] std::int64_t size_hint() const override { return static_cast<std::int64_t>(text_.size()); }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

block_end find_block_end(std::string_view text, std::int64_t wanted) {
  const auto last = static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 1, max_chunk_bytes)) - 1;
  if (text.size() <= last) return {};
  const std::size_t before = last == 0 ? text.npos : text.rfind('\n', last - 1);
  const std::size_t line = before == text.npos ? 0 : before + 1;
  // The limit counts from the start of the line and so does not depend on where blocks are cut.
  const std::string_view window = text.substr(0, line + max_line_bytes + 1);
  const std::size_t newline = window.find('\n', last);
  if (newline != window.npos) return {.done = true, .size = newline + 1};
  if (window.size() == line + max_line_bytes + 1)
    return {.done = true, .overlong = true, .size = line + max_line_bytes};
  return {};
}

std::unique_ptr<text_source> make_plain_source(std::string_view text) {
  return std::make_unique<plain_source>(text);
}

}  // namespace gossamer::inline v0::io
