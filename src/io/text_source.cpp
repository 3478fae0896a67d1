// SPDX-License-Identifier: BSD-3-Clause
#include "io/text_source.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace gossamer::inline v0::io {
namespace {

class plain_source final : public text_source {
 public:
  explicit plain_source(std::string_view text) : text_(text) {}

  text_block cut(std::int64_t wanted, std::vector<char>&) override {
    const std::string_view rest = text_.substr(position_);
    block_end end = find_block_end(rest, wanted);
    if (!end.done) end.size = rest.size();
    position_ += end.size;
    return {.text = rest.substr(0, end.size), .defect = end.overlong ? overlong_defect : std::string_view{}};
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

/// How far behind the wanted bytes a line's end is looked for before the whole block is read.
constexpr std::size_t file_look = std::size_t{1} << 12;

/// Reads only lines' ends while others wait, and the blocks in all threads.
class file_source final : public text_source {
 public:
  explicit file_source(const input_bytes& bytes) : bytes_(bytes) {}

  text_block cut(std::int64_t wanted, std::vector<char>& storage) override {
    const auto goal = static_cast<std::size_t>(std::clamp<std::int64_t>(wanted, 1, max_chunk_bytes));
    const std::size_t rest = bytes_.size() - position_;
    if (goal > file_look) {
      if (const std::size_t size = size_by_look(goal, rest); size > 0) {
        const std::size_t from = position_;
        position_ += size;
        return {.from = from, .unread = size};
      }
    }
    std::size_t size = 0;
    block_end end;
    while (!end.done && size < rest) {
      // Steps that double keep the search for a long line's end linear.
      const std::size_t step = std::min(rest - size, std::max({goal, file_look, size}));
      make_room(storage, size + step);
      bytes_.read(position_ + size, {storage.data() + size, step});
      size += step;
      end = find_block_end({storage.data(), size}, wanted);
    }
    if (end.done) size = end.size;
    position_ += size;
    return {.text = {storage.data(), size}, .defect = end.overlong ? overlong_defect : std::string_view{}};
  }

  void fetch(text_block& block, std::vector<char>& storage) const override {
    if (block.unread == 0) return;
    make_room(storage, block.unread);
    bytes_.read(block.from, {storage.data(), block.unread});
    block.text = {storage.data(), block.unread};
    block.unread = 0;
  }

  void rewind() override { position_ = 0; }
  [[nodiscard]] double fraction() const override {
    return bytes_.size() == 0 ? 1 : static_cast<double>(position_) / static_cast<double>(bytes_.size());
  }
  [[nodiscard]] std::int64_t size_hint() const override { return static_cast<std::int64_t>(bytes_.size()); }

 private:
  // What ends within the look is never overlong, wherever its line begins.
  static_assert(max_chunk_bytes + static_cast<std::int64_t>(file_look) <=
                static_cast<std::int64_t>(max_line_bytes));

  /// 0 where the look finds no end.
  [[nodiscard]] std::size_t size_by_look(std::size_t goal, std::size_t rest) const {
    if (rest < goal) return rest;
    std::array<char, file_look> ahead;
    const std::size_t size = std::min(ahead.size(), rest - (goal - 1));
    bytes_.read(position_ + goal - 1, {ahead.data(), size});
    const void* const newline = std::memchr(ahead.data(), '\n', size);
    if (newline == nullptr) return 0;
    return goal + static_cast<std::size_t>(static_cast<const char*>(newline) - ahead.data());
  }

  const input_bytes& bytes_;
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

std::unique_ptr<text_source> make_plain_source(const input_bytes& bytes) {
  if (bytes.in_memory()) return make_plain_source(bytes.view());
  return std::make_unique<file_source>(bytes);
}

}  // namespace gossamer::inline v0::io
