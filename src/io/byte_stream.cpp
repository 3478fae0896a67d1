// SPDX-License-Identifier: BSD-3-Clause
#include "io/byte_stream.hpp"

#include <algorithm>

namespace gossamer::inline v0::io {
namespace {

class file_stream final : public byte_stream {
 public:
  explicit file_stream(const input_bytes& bytes) : bytes_(bytes) {}

  std::size_t read_some(std::span<char> room) override {
    const std::size_t size = std::min(room.size(), bytes_.size() - position_);
    bytes_.read(position_, room.first(size));
    position_ += size;
    return size;
  }
  void rewind() override { position_ = 0; }
  [[nodiscard]] bool finished() const override { return position_ == bytes_.size(); }
  [[nodiscard]] std::string_view defect() const override { return {}; }
  [[nodiscard]] double fraction() const override {
    return finished() ? 1 : static_cast<double>(position_) / static_cast<double>(bytes_.size());
  }

 private:
  const input_bytes& bytes_;
  std::size_t position_ = 0;
};

}  // namespace

std::size_t read_all(byte_stream& from, std::span<char> room) {
  std::size_t size = 0;
  while (size < room.size() && !from.finished()) size += from.read_some(room.subspan(size));
  return size;
}

std::unique_ptr<byte_stream> make_file_stream(const input_bytes& bytes) {
  return std::make_unique<file_stream>(bytes);
}

}  // namespace gossamer::inline v0::io
