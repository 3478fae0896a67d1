// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a gzip file: the fastest inflater and zlib hand out the same text and find the same fault.
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"
#include "io/gzip.hpp"
#include "io/text_source.hpp"

namespace gossamer::fuzz {
namespace {

struct handed_out {
  std::string text;
  std::string defect;
};

handed_out drain(io::text_source& source, std::int64_t wanted) {
  constexpr std::size_t enough = std::size_t{1} << 22;  // a kilobyte may inflate to a megabyte
  handed_out all;
  std::vector<char> storage;
  while (all.text.size() < enough) {
    const io::text_block block = source.next(wanted, storage);
    if (block.at_end()) break;
    all.text += block.text;
    all.defect = block.defect;
    if (!block.defect.empty()) break;
  }
  return all;
}

void check(std::string_view bytes) {
  const std::int64_t wanted = bytes.size() % 3 == 0 ? 1 : bytes.size() % 3 == 1 ? 1000 : 1 << 14;
  const io::input_bytes input(bytes);
  const auto fast = io::make_gzip_source(input);
  const auto zlib = io::make_gzip_source(input, io::gzip_engine::zlib);
  const handed_out first = drain(*fast, wanted);
  const handed_out expected = drain(*zlib, wanted);
  if (first.defect != expected.defect)
    found("the defects are \"" + first.defect + "\" and, by zlib, \"" + expected.defect + "\"");
  if (first.defect.empty() && first.text != expected.text) found("the texts differ");
  // Where there is a fault the readers look a second time, and what they say then is zlib's.
  fast->rewind();
  const handed_out second = drain(*fast, wanted);
  if (second.text != expected.text || second.defect != expected.defect) found("the second look differs");
  const auto damage = fast->find_damage();
  const auto expected_damage = zlib->find_damage();
  if (damage.has_value() != expected_damage.has_value() ||
      (damage && (damage->reason != expected_damage->reason || damage->at.line != expected_damage->at.line ||
                  damage->at.column != expected_damage->at.column)))
    found("the damage differs");
}

}  // namespace
}  // namespace gossamer::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (gossamer::io::is_gzip(bytes)) gossamer::fuzz::check(bytes);
  return 0;
}
