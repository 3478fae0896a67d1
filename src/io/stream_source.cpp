// SPDX-License-Identifier: BSD-3-Clause
// The text in a stream of bytes, in blocks of whole lines.
#include <algorithm>
#include <utility>

#include "io/text_source.hpp"

namespace gossamer::inline v0::io {
namespace {

/// Behind the wanted bytes, the end of the last line is looked for in steps of at least this size. Bytes
/// behind that end are copied to the next block.
constexpr std::size_t smallest_step = std::size_t{1} << 12;

class stream_source final : public text_source {
 public:
  stream_source(std::unique_ptr<byte_stream> bytes, std::int64_t size_hint)
      : bytes_(std::move(bytes)), size_hint_(size_hint) {}

  text_block cut(std::int64_t wanted, std::vector<char>& storage) override {
    make_room(storage, carry_.size());
    std::copy(carry_.begin(), carry_.end(), storage.begin());
    std::size_t size = carry_.size();
    block_end end = find_block_end({storage.data(), size}, wanted);
    while (!end.done && !bytes_->finished()) {
      const auto goal = static_cast<std::size_t>(std::min(wanted, max_chunk_bytes));
      // Past the goal, steps that double keep the search for a long line's end linear.
      const std::size_t step = size < goal ? goal - size : std::max(smallest_step, size - goal);
      make_room(storage, size + step);
      size += bytes_->read_some({storage.data() + size, step});
      end = find_block_end({storage.data(), size}, wanted);
    }
    const std::size_t block = end.done ? end.size : size;
    carry_.assign(storage.data() + block, storage.data() + size);
    const std::string_view defect = end.overlong ? overlong_defect
                                    : end.done   ? std::string_view{}
                                                 : bytes_->defect();
    return {.text = {storage.data(), block}, .defect = defect};
  }

  void rewind() override {
    bytes_->rewind();
    carry_.clear();
  }
  std::optional<damage> find_damage() override {
    rewind();
    std::vector<char> room(std::size_t{1} << 18);
    place end;
    while (!bytes_->finished()) {
      const std::string_view text(room.data(), bytes_->read_some(room));
      const std::size_t newline = text.rfind('\n');
      if (newline == text.npos) {
        end.column += static_cast<std::int64_t>(text.size());
      } else {
        end.line += std::count(text.begin(), text.end(), '\n');
        end.column = static_cast<std::int64_t>(text.size() - newline);
      }
    }
    const std::string_view defect = bytes_->defect();
    rewind();
    if (defect.empty()) return std::nullopt;
    return damage{.at = end, .reason = defect};
  }
  [[nodiscard]] double fraction() const override { return bytes_->fraction(); }
  [[nodiscard]] std::int64_t size_hint() const override { return size_hint_; }

 private:
  std::unique_ptr<byte_stream> bytes_;
  std::int64_t size_hint_;
  std::vector<char> carry_;  ///< read past the last block's end
};

}  // namespace

std::unique_ptr<text_source> make_stream_source(std::unique_ptr<byte_stream> bytes, std::int64_t size_hint) {
  return std::make_unique<stream_source>(std::move(bytes), size_hint);
}

std::unique_ptr<text_source> make_gzip_source(const input_bytes& compressed, gzip_engine engine) {
  return make_stream_source(make_gzip_stream(compressed, engine), size_hint_of_compressed(compressed));
}

}  // namespace gossamer::inline v0::io
