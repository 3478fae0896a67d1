// SPDX-License-Identifier: BSD-3-Clause
// A tar archive is a row of members: a block of 512 bytes with name and size, and the content, padded to
// blocks. Blocks of GNU tar and of POSIX (pax) give the next member a long name or a large size.
#include "io/tar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/fail.hpp"
#include "io/text.hpp"

namespace gossamer::inline v0::io {
namespace {

using tar_block = std::array<char, tar_header_bytes>;

/// What follows from a longer one is refused, so that a small archive cannot fill the memory.
constexpr std::uint64_t longest_tar_record = std::uint64_t{1} << 20;

/// A pax record has not given a size.
constexpr std::uint64_t no_size = std::numeric_limits<std::uint64_t>::max();

std::string_view tar_field(const tar_block& block, std::size_t at, std::size_t size) {
  const std::string_view all(block.data() + at, size);
  return all.substr(0, all.find('\0'));
}

/// Octal digits, or, with the first bit set, the number itself; nothing for anything else.
std::optional<std::uint64_t> tar_number(const tar_block& block, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  if ((static_cast<unsigned char>(block[at]) & 0x80u) != 0) {
    for (std::size_t k = 0; k < size; ++k) {
      const auto byte = static_cast<unsigned char>(k == 0 ? block[at] & 0x7f : block[at + k]);
      if (number >> 55 != 0) return std::nullopt;
      number = number << 8 | byte;
    }
    return number;
  }
  std::string_view digits = tar_field(block, at, size);
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number, 8);
  if (digits.empty() || problem != std::errc{} || end != digits.data() + digits.size() || number >> 62 != 0)
    return std::nullopt;
  return number;
}

/// The bytes of a header add up to a number in it, which counts as eight spaces.
bool has_tar_checksum(const tar_block& block) {
  constexpr std::size_t begin = 148;
  constexpr std::size_t size = 8;
  std::uint64_t sum = size * std::uint64_t{' '};
  for (std::size_t k = 0; k < block.size(); ++k)
    if (k < begin || k >= begin + size) sum += static_cast<unsigned char>(block[k]);
  return tar_number(block, begin, size) == sum;
}

struct tar_entry {
  std::string name;
  std::uint64_t begin = 0;  ///< of the content, in the archive
  std::uint64_t size = 0;
};

/// Reads an archive once, from member to member.
class tar_walk {
 public:
  tar_walk(byte_stream& archive, std::string_view file) : archive_(archive), file_(file) {}

  /// The next regular file; nothing at the end.
  std::optional<tar_entry> next() {
    std::string long_name;
    std::uint64_t large_size = no_size;
    for (;;) {
      skip_to(content_end_);
      tar_block block;
      const std::size_t size = read_all(archive_, block);
      if (size == 0 && archive_.defect().empty()) return std::nullopt;
      if (size < block.size()) fail_here("the archive is truncated in a header");
      if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) return std::nullopt;
      if (!has_tar_checksum(block)) fail_here("this is no header of a tar archive: its checksum is wrong");
      at_ += block.size();
      std::optional<std::uint64_t> length = tar_number(block, 124, 12);
      if (!length) fail_here("the header has no size");
      const char type = block[156];
      if (type == 'L' || type == 'x') {
        const std::string record = read_record(*length);
        if (type == 'L')
          long_name = record.substr(0, record.find('\0'));
        else
          read_pax(record, long_name, large_size);
        continue;
      }
      const bool is_file = type == '0' || type == '\0' || type == '7';
      if (is_file && large_size != no_size) length = large_size;
      tar_entry entry{.name = long_name.empty() ? name_in(block) : long_name, .begin = at_, .size = *length};
      pass_over(type == '5' ? 0 : *length);  // folders have no content, whatever their size is
      if (is_file) return entry;
      long_name.clear();
      large_size = no_size;
    }
  }

 private:
  static std::string name_in(const tar_block& block) {
    const std::string_view prefix = std::string_view(block.data() + 257, 6) == std::string_view("ustar\0", 6)
                                        ? tar_field(block, 345, 155)
                                        : std::string_view{};
    std::string name(prefix);
    if (!name.empty()) name += '/';
    return name.append(tar_field(block, 0, 100));
  }

  /// Lines "LENGTH KEY=VALUE", where LENGTH counts the whole line.
  void read_pax(std::string_view record, std::string& name, std::uint64_t& size) const {
    while (!record.empty()) {
      std::size_t length = 0;
      const auto [end, problem] = std::from_chars(record.data(), record.data() + record.size(), length);
      const auto digits = static_cast<std::size_t>(end - record.data());
      if (problem != std::errc{} || length > record.size() || length < digits + 2 ||
          record[length - 1] != '\n')
        fail_here("a pax record has a wrong length");
      const std::string_view line = record.substr(digits + 1, length - digits - 2);
      if (line.starts_with("path=")) name = line.substr(5);
      if (line.starts_with("size=")) {
        std::uint64_t number = 0;
        const auto [last, wrong] = std::from_chars(line.data() + 5, line.data() + line.size(), number);
        if (wrong != std::errc{} || last != line.data() + line.size() || number >> 62 != 0)
          fail_here("a pax record has no size");
        size = number;
      }
      record.remove_prefix(length);
    }
  }

  std::string read_record(std::uint64_t length) {
    if (length > longest_tar_record) fail_here("a name in the archive is longer than 1 MiB");
    std::string record(static_cast<std::size_t>(length), '\0');
    if (read_all(archive_, record) < record.size()) fail_here("the archive is truncated");
    const std::uint64_t begin = at_;
    at_ += length;
    pass_over(begin, length);
    return record;
  }

  void pass_over(std::uint64_t length) { pass_over(at_, length); }
  /// The next header is behind the content, at a multiple of a block.
  void pass_over(std::uint64_t begin, std::uint64_t length) {
    content_end_ = begin + (length + tar_header_bytes - 1) / tar_header_bytes * tar_header_bytes;
  }

  void skip_to(std::uint64_t place) {
    std::vector<char> room(std::size_t{1} << 16);
    while (at_ < place) {
      const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), place - at_));
      const std::size_t size = read_all(archive_, std::span(room).first(wanted));
      at_ += size;
      if (size < wanted) fail_here("the archive is truncated");
    }
  }

  /// What is wrong with compressed data counts before what follows from it.
  [[noreturn]] void fail_here(std::string_view reason) const {
    fail(errc::parse_error, "{}: byte {} of the archive: {}", file_, at_,
         archive_.defect().empty() ? reason : archive_.defect());
  }

  byte_stream& archive_;
  std::string_view file_;
  std::uint64_t at_ = 0;  ///< bytes of the archive that were read
  std::uint64_t content_end_ = 0;
};

/// Whether it is NAME/NAME.mtx, whatever folders are before it.
bool is_named_like_folder(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == name.npos) return false;
  const std::string_view folder = name.substr(0, slash);
  const std::string_view stem = name.substr(slash + 1, name.size() - slash - 1 - std::size(".mtx") + 1);
  return folder == stem || folder.ends_with("/" + std::string(stem));
}

tar_entry find_matrix(byte_stream& archive, std::string_view file) {
  tar_walk walk(archive, file);
  std::vector<tar_entry> found;
  while (std::optional<tar_entry> entry = walk.next()) {
    if (!entry->name.ends_with(".mtx")) continue;
    found.push_back(std::move(*entry));
    constexpr std::size_t many = 1000;
    if (found.size() > many)
      fail(errc::parse_error, "{}: the archive has more than {} .mtx files", file, many);
  }
  if (found.empty()) fail(errc::parse_error, "{}: the archive has no .mtx file", file);
  if (found.size() == 1) return std::move(found.front());
  std::vector<const tar_entry*> named;
  for (const tar_entry& entry : found)
    if (is_named_like_folder(entry.name)) named.push_back(&entry);
  if (named.size() == 1) return *named.front();
  fail(errc::parse_error,
       "{}: the archive has {} .mtx files, {} and {} among them: extract the one that is meant", file,
       found.size(), io::quoted(found[0].name), io::quoted(found[1].name));
}

/// One member of an archive.
class tar_member_stream final : public byte_stream {
 public:
  tar_member_stream(std::unique_ptr<byte_stream> archive, std::uint64_t begin, std::uint64_t size)
      : archive_(std::move(archive)), begin_(begin), size_(size) {
    rewind();
  }

  std::size_t read_some(std::span<char> room) override {
    const std::uint64_t left = size_ - position_;
    const std::size_t size =
        archive_->read_some(room.first(static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), left))));
    position_ += size;
    return size;
  }
  void rewind() override {
    archive_->rewind();
    position_ = 0;
    std::vector<char> passed(std::size_t{1} << 16);
    for (std::uint64_t at = 0; at < begin_ && !archive_->finished();)
      at += archive_->read_some(std::span(passed).first(
          static_cast<std::size_t>(std::min<std::uint64_t>(passed.size(), begin_ - at))));
  }
  [[nodiscard]] bool finished() const override { return position_ == size_ || archive_->finished(); }
  [[nodiscard]] std::string_view defect() const override {
    if (position_ == size_) return {};
    if (!archive_->finished()) return {};
    return archive_->defect().empty() ? "the archive is truncated: it breaks off here" : archive_->defect();
  }
  [[nodiscard]] double fraction() const override {
    return size_ == 0 ? 1 : static_cast<double>(position_) / static_cast<double>(size_);
  }

 private:
  std::unique_ptr<byte_stream> archive_;
  std::uint64_t begin_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
};

}  // namespace

bool is_tar(std::string_view beginning) noexcept {
  tar_block block;
  if (beginning.size() < block.size() || !beginning.substr(257).starts_with("ustar")) return false;
  std::copy_n(beginning.begin(), block.size(), block.begin());
  return has_tar_checksum(block);
}

tar_member open_matrix_in_tar(std::unique_ptr<byte_stream> archive, std::string_view file) {
  tar_entry entry = find_matrix(*archive, file);
  return {.name = std::move(entry.name),
          .bytes = std::make_unique<tar_member_stream>(std::move(archive), entry.begin, entry.size)};
}

}  // namespace gossamer::inline v0::io
