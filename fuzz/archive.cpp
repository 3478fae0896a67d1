// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a tar archive or a Zstandard file: one error of the library, or text that is the same when it
// is read again.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/target.hpp"
#include "gossamer/error.hpp"
#include "io/byte_stream.hpp"
#include "io/tar.hpp"

namespace gossamer::fuzz {
namespace {

struct drained {
  std::string bytes;
  std::string defect;
  friend bool operator==(const drained&, const drained&) = default;
};

drained drain(io::byte_stream& from, std::size_t step) {
  constexpr std::size_t enough = std::size_t{1} << 20;  // a kilobyte may be decompressed to a megabyte
  drained all;
  std::string room(step, '\0');
  int idle = 0;
  while (!from.finished() && all.bytes.size() < enough) {
    const std::size_t size = from.read_some(room);
    idle = size == 0 ? idle + 1 : 0;
    if (idle > 1000) found("the stream does not end");
    all.bytes.append(room, 0, size);
  }
  all.defect = from.defect();
  return all;
}

void expect_the_same_again(io::byte_stream& from) {
  const drained first = drain(from, 4096);
  from.rewind();
  if (!(drain(from, 4096) == first)) found("the second look differs");
}

/// Headers keep valid checksums, without which nothing else in them would count.
std::string with_checksums(std::string_view bytes) {
  constexpr std::size_t block = 512;
  std::string tar(bytes);
  for (std::size_t at = 0; at + block <= tar.size(); at += block) {
    if (tar.compare(at + 257, 5, "ustar") != 0) continue;
    std::fill_n(tar.begin() + static_cast<std::ptrdiff_t>(at) + 148, 8, ' ');
    unsigned sum = 0;
    for (std::size_t k = 0; k < block; ++k) sum += static_cast<unsigned char>(tar[at + k]);
    for (std::size_t k = 0; k < 6; ++k, sum /= 8) tar[at + 153 - k] = static_cast<char>('0' + sum % 8);
  }
  return tar;
}

void check_archive(std::string_view bytes) {
  const std::string tar = with_checksums(bytes);
  if (!io::is_tar(std::string_view(tar).substr(0, io::tar_header_bytes))) return;
  const io::input_bytes input{std::string_view(tar)};
  try {
    const io::tar_member member = io::open_matrix_in_tar(io::make_file_stream(input), "f");
    expect_the_same_again(*member.bytes);
  } catch (const error& problem) {
    if (problem.code() != errc::parse_error) found(problem.what());
    if (std::string_view(problem.what()).find('\n') != std::string_view::npos) found("two lines");
  }
}

void check_zstd(std::string_view bytes) {
  const io::input_bytes input(bytes);
  if (const auto stream = io::make_zstd_stream(input)) expect_the_same_again(*stream);
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (gossamer::io::is_zstd(bytes))
    gossamer::fuzz::check_zstd(bytes);
  else
    gossamer::fuzz::check_archive(bytes);
  return 0;
}
