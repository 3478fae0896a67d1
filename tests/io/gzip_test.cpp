// SPDX-License-Identifier: BSD-3-Clause
// Compressed files, whole and damaged.
#include "io/text_source.hpp"
#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

std::string many_entries(int count) {
  std::string text = banner + "1000 1000 " + std::to_string(count) + "\n";
  std::uint32_t state = 1;
  for (int k = 0; k < count; ++k) {
    state = state * 1664525u + 1013904223u;
    text += std::to_string(k % 1000 + 1) + " " + std::to_string(state % 1000 + 1) + " 0." +
            std::to_string(state) + "\n";
  }
  return text;
}

class gzip_file : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path write(std::string_view bytes,
                                            std::string_view name = "a.mtx.gz") const {
    spill(folder_ / name, bytes);
    return folder_ / name;
  }

  /// The message behind the file's name, which has to be the same for every way to read.
  [[nodiscard]] static std::string refusal(const std::filesystem::path& file) {
    const auto got = error_of([&] { read_matrix_market<double>(file); });
    if (!got) return "it was read";
    EXPECT_EQ(got->code, errc::parse_error);
    for (const read_options& way : all_ways())
      EXPECT_EQ(error_of([&] { read_matrix_market<double>(file, way); }), got) << name_of(way);
    return got->message.substr(file.string().size());
  }

  scratch_folder folder_;
};

TEST_F(gzip_file, gives_the_matrix_of_its_text) {
  const std::string text = many_entries(60000);  // several inflated blocks
  const auto expected = parse_matrix_market<double>(text, "memory");
  const auto file = write(gzip(text));
  for (const int threads : {1, 2, 4}) {
    for (const std::int64_t bytes : {0, 1, 1000, 1 << 24}) {
      const auto got =
          read_matrix_market<double>(file, {.threads = threads, .chunk_bytes = bytes, .progress = {}});
      EXPECT_TRUE(same_matrix(got.matrix.view(), expected.matrix.view()));
    }
  }
}

TEST_F(gzip_file, is_known_by_its_bytes_and_not_by_its_name) {
  const std::string text = many_entries(10);
  EXPECT_EQ(read_matrix_market<double>(write(gzip(text), "plain.mtx")).matrix.nnz(), 10);
  EXPECT_EQ(refusal(write(text)), ":1:1: this is not gzip data, though the name ends in .gz");
}

TEST_F(gzip_file, may_have_many_members_cut_anywhere) {
  const std::string text = many_entries(200);
  std::string bytes;
  for (std::size_t k = 0; k < text.size(); k += 37) bytes += gzip(std::string_view(text).substr(k, 37));
  bytes += gzip("");
  const auto got = read_matrix_market<double>(write(bytes));
  EXPECT_TRUE(same_matrix(got.matrix.view(), parse_matrix_market<double>(text, "memory").matrix.view()));
}

TEST_F(gzip_file, may_be_padded_with_zeros) {
  EXPECT_EQ(read_matrix_market<double>(write(gzip(many_entries(3)) + std::string(512, '\0'))).matrix.nnz(),
            3);
}

TEST_F(gzip_file, truncated_anywhere_is_refused) {
  const std::string text = many_entries(50);
  const std::string whole = gzip(text);
  for (std::size_t size = 2; size < whole.size(); size += size < 40 || size + 12 > whole.size() ? 1 : 13) {
    const std::string got = refusal(write(whole.substr(0, size)));
    EXPECT_NE(got.find("the gzip data is truncated"), std::string::npos) << size << got;
  }
  EXPECT_EQ(refusal(write(whole.substr(0, 1))), ":1:1: this is not gzip data, though the name ends in .gz");
  EXPECT_EQ(refusal(write("")), ":1:1: the file is empty");
}

TEST_F(gzip_file, truncation_is_reported_with_its_line) {
  // Only the trailer is missing, so all lines have been seen.
  const std::string whole = gzip(banner + "2 2 1\n1 1 1\n");
  EXPECT_EQ(refusal(write(whole.substr(0, whole.size() - 1))),
            ":4:1: the gzip data is truncated: it breaks off here");
  const std::string unended = gzip(banner + "2 2 1\n1 1 1");
  EXPECT_EQ(refusal(write(unended.substr(0, unended.size() - 1))),
            ":3:6: the gzip data is truncated: it breaks off here");
}

TEST_F(gzip_file, truncated_after_a_fault_reports_the_truncation) {
  const std::string whole = gzip(banner + "2 2 2\n1 1 x\n1 1 1\n");
  EXPECT_EQ(refusal(write(whole)), ":3:5: the value is not a number: 'x'");
  EXPECT_EQ(refusal(write(whole.substr(0, whole.size() - 1))),
            ":5:1: the gzip data is truncated: it breaks off here");
}

TEST_F(gzip_file, damaged_after_a_fault_of_the_header_reports_the_damage) {
  std::string bytes = gzip("nothing\nof this kind\n");
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  EXPECT_EQ(refusal(write(bytes)), ":3:1: the gzip data is damaged here");
}

// Damage behind the header is not looked for, which would inflate a large file for nothing.
TEST_F(gzip_file, that_is_not_supported_is_refused_by_its_header_alone) {
  std::string bytes = gzip("%%MatrixMarket matrix coordinate complex general\n1 1 0\n");
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);
  const auto file = write(bytes);
  const caught_error wanted{
      errc::unsupported,
      file.string() + ":1:34: complex matrices are not supported: only real, integer and pattern are"};
  EXPECT_EQ(error_of([&] { read_matrix_market<double>(file); }), wanted);
  EXPECT_EQ(error_of([&] { read_vector<double>(file); }), wanted);
}

// The text that comes out of damaged data differs anywhere, and its faults are not the file's.
TEST_F(gzip_file, damaged_anywhere_is_blamed_on_the_gzip_data) {
  const std::string whole = gzip(many_entries(300)) + gzip("% the end\n");
  for (std::size_t k = 12; k + 8 < whole.size(); k += 31) {
    std::string bytes = whole;
    bytes[k] = static_cast<char>(bytes[k] ^ 0x14);
    const auto got = error_of([&] { read_matrix_market<double>(write(bytes)); });
    ASSERT_TRUE(got) << k;
    EXPECT_NE(got->message.find("the gzip data is "), std::string::npos) << k << ": " << *got;
  }
}

TEST_F(gzip_file, with_a_wrong_checksum_is_refused) {
  std::string bytes = gzip(banner + "2 2 1\n1 1 1\n");
  bytes[bytes.size() - 8] = static_cast<char>(bytes[bytes.size() - 8] ^ 1);
  EXPECT_EQ(refusal(write(bytes)), ":4:1: the gzip data is damaged here");
}

TEST_F(gzip_file, with_a_damaged_byte_is_refused) {
  const std::string text = many_entries(300);
  const std::string whole = gzip(text);
  for (std::size_t k = 12; k < whole.size(); k += 17) {
    std::string bytes = whole;
    bytes[k] = static_cast<char>(bytes[k] ^ 0x55);
    EXPECT_TRUE(error_of([&] { read_matrix_market<double>(write(bytes)); })) << k;
  }
}

TEST_F(gzip_file, followed_by_something_else_is_refused) {
  EXPECT_EQ(refusal(write(gzip(banner + "2 2 1\n1 1 1\n") + "PK")),
            ":4:1: the gzip data is followed by something else");
}

TEST_F(gzip_file, with_nothing_in_it_is_an_empty_file) {
  EXPECT_EQ(refusal(write(gzip(""))), ":1:1: the file is empty");
}

TEST_F(gzip_file, with_an_endless_line_is_refused_in_bounded_memory) {
  std::string bytes = gzip(banner + "2 2 1\n");
  const std::string zeros = gzip(std::string(std::size_t{1} << 26, ' '));
  for (int k = 0; k < 4; ++k) bytes += zeros;
  EXPECT_EQ(refusal(write(bytes)), ":3:16777217: the line is longer than 16 MiB");
}

/// All that a source hands out, and why it ends.
struct handed_out {
  std::string text;
  std::string defect;
  friend bool operator==(const handed_out&, const handed_out&) = default;
};

std::ostream& operator<<(std::ostream& out, const handed_out& h) {
  return out << h.text.size() << " bytes, \"" << h.defect << '"';
}

handed_out drain(io::text_source& source, std::int64_t wanted) {
  handed_out all;
  std::vector<char> storage;
  for (;;) {
    const io::text_block block = source.next(wanted, storage);
    if (block.at_end()) return all;
    all.text += block.text;
    all.defect = block.defect;
    if (!block.defect.empty()) return all;
  }
}

std::string text_of(const std::optional<io::damage>& d) {
  if (!d) return "whole";
  return std::to_string(d->at.line) + ":" + std::to_string(d->at.column) + ": " + std::string(d->reason);
}

/// Where and why the text breaks off, counted in what was handed out.
std::string damage_of(const handed_out& all) {
  if (all.defect.empty()) return "whole";
  const auto lines = std::count(all.text.begin(), all.text.end(), '\n');
  const std::size_t column = all.text.size() - (all.text.rfind('\n') + 1) + 1;
  return std::to_string(lines + 1) + ":" + std::to_string(column) + ": " + all.defect;
}

/// The fastest inflater against zlib's; in a build without ISA-L they are one and the same.
void expect_same_from_both_engines(std::string_view bytes, std::string_view what) {
  const io::input_bytes input(bytes);
  for (const std::int64_t wanted : {1, 1000, 1 << 20}) {
    const auto fast = io::make_gzip_source(input);
    const auto zlib = io::make_gzip_source(input, io::gzip_engine::zlib);
    const handed_out expected = drain(*zlib, wanted);
    EXPECT_EQ(drain(*fast, wanted), expected) << what << ", wanted " << wanted;
    fast->rewind();
    EXPECT_EQ(drain(*fast, wanted), expected) << what << ", wanted " << wanted << ", again";
    EXPECT_EQ(text_of(fast->find_damage()), damage_of(expected)) << what;
    EXPECT_EQ(text_of(zlib->find_damage()), damage_of(expected)) << what;
    EXPECT_EQ(drain(*fast, wanted), expected) << what << ", wanted " << wanted << ", after the search";
  }
}

TEST(gzip_engines, agree_on_complete_files) {
  const std::string text = many_entries(60000);
  expect_same_from_both_engines(gzip(text), "one member");
  expect_same_from_both_engines(gzip(text) + gzip("") + gzip(text), "members");
  expect_same_from_both_engines(gzip("") + std::string(100, '\0'), "nothing and padding");
  std::string stored = gzip(text);
  stored[9] = 3;  // the operating system's number: no engine minds
  expect_same_from_both_engines(stored, "another system");
}

TEST(gzip_engines, agree_on_optional_fields_of_the_header) {
  const std::string plain = gzip(many_entries(100));
  std::string named = plain;
  named[3] = 4 | 8 | 16;  // FEXTRA, FNAME, FCOMMENT
  named.insert(10, std::string("\x05\x00", 2) + "extra" + std::string("name\0comment\0", 13));
  expect_same_from_both_engines(named, "with fields");
  for (std::size_t size = 3; size < 40; ++size)
    expect_same_from_both_engines(named.substr(0, size), "fields cut at " + std::to_string(size));
  std::string reserved = plain;
  reserved[3] = static_cast<char>(0x80);
  expect_same_from_both_engines(reserved, "a reserved flag");
  std::string summed = plain;
  summed[3] = 2;  // FHCRC: the header's own checksum
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(summed.data()), 10);
  summed.insert(10, {static_cast<char>(sum & 0xff), static_cast<char>(sum >> 8 & 0xff)});
  expect_same_from_both_engines(summed, "a checksum of the header");
  summed[10] = static_cast<char>(summed[10] ^ 1);
  expect_same_from_both_engines(summed, "a wrong checksum of the header");
  std::string method = plain;
  method[2] = 7;
  expect_same_from_both_engines(method, "an unknown method");
}

TEST(gzip_engines, agree_wherever_a_file_breaks_off) {
  const std::string whole = gzip(many_entries(3000));
  for (std::size_t size = 2; size<whole.size(); size += size + 20> whole.size() ? 1 : 487)
    expect_same_from_both_engines(std::string_view(whole).substr(0, size), "cut at " + std::to_string(size));
}

TEST(gzip_engines, agree_on_damage_up_to_where_it_shows) {
  const std::string text = many_entries(3000);
  const std::string members = gzip(text) + gzip(text);
  for (std::size_t k = 2; k < members.size(); k += k < 40 || k + 20 > members.size() ? 1 : 211) {
    std::string bytes = members;
    bytes[k] = static_cast<char>(bytes[k] ^ 0x10);
    expect_same_from_both_engines(bytes, "byte " + std::to_string(k));
  }
}

}  // namespace
}  // namespace gossamer::io_test
