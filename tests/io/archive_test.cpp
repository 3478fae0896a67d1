// SPDX-License-Identifier: BSD-3-Clause
// Tar archives and Zstandard files, whole and damaged. Archives are made here, block by block, and by GNU tar
// and Python's tarfile (data/archives, made by data/archives/make.sh).
#include "io/byte_stream.hpp"
#include "io_support.hpp"

namespace gossamer::io_test::archives {
namespace {

const std::string matrix_in_archives =
    "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1.5\n3 2 -2\n2 1 4\n";
const std::string other_in_archives = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 7\n";

/// An entry of an archive: its header, and its content padded to blocks.
std::string tar_entry_of(std::string_view name, std::string_view content, char type = '0') {
  std::string header(512, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { header.replace(at, text.size(), text); };
  const auto octal = [](std::size_t number, int digits) {
    std::string text;
    for (int k = 0; k < digits; ++k, number /= 8)
      text.insert(text.begin(), static_cast<char>('0' + number % 8));
    return text;
  };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, octal(content.size(), 11));
  put(148, "        ");
  header[156] = type;
  put(257, std::string_view("ustar\00000", 8));
  std::size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + std::string("\0 ", 2));
  std::string padded(content);
  padded.resize((content.size() + 511) / 512 * 512);
  return header + padded;
}

std::string end_of_tar() {
  return std::string(1024, '\0');
}

class archive_file : public testing::Test {
 protected:
  std::filesystem::path write(std::string_view bytes, std::string_view name = "a.tar") const {
    spill(folder_ / name, bytes);
    return folder_ / name;
  }
  /// The message behind the file's name.
  std::string refusal(std::string_view bytes, errc code = errc::parse_error) const {
    const auto file = write(bytes);
    const auto got = error_of([&] { read_matrix_market<double>(file); });
    if (!got) return "it was read";
    EXPECT_EQ(got->code, code) << *got;
    EXPECT_EQ(got->message.find('\n'), std::string::npos) << *got;
    EXPECT_EQ(error_of([&] { read_vector<float>(file); }), got);
    return got->message.substr(file.string().size());
  }
  void expect_small_matrix(const std::filesystem::path& file) const {
    const auto got = read_matrix_market<double>(file);
    const auto expected = parse_matrix_market<double>(matrix_in_archives, "memory");
    EXPECT_TRUE(same_matrix(got.matrix.view(), expected.matrix.view())) << file;
  }

  scratch_folder folder_;
};

TEST_F(archive_file, gives_its_only_matrix) {
  const std::string tar = tar_entry_of("a/", "", '5') + tar_entry_of("a/README", "text") +
                          tar_entry_of("a/b.mtx", matrix_in_archives) +
                          tar_entry_of("a/c.txt", std::string(5000, 'x')) + end_of_tar();
  expect_small_matrix(write(tar));
  expect_small_matrix(write(gzip(tar), "a.tar.gz"));
  expect_small_matrix(write(gzip(tar), "a.mtx"));
  expect_small_matrix(write(tar.substr(0, tar.size() - 1024)));  // no end
}

TEST_F(archive_file, gives_the_matrix_that_is_named_like_its_folder) {
  for (const char* folder : {"", "./", "Group/"}) {
    const std::string at = folder;
    expect_small_matrix(write(tar_entry_of(at + "m/m_b.mtx", other_in_archives) +
                              tar_entry_of(at + "m/m.mtx", matrix_in_archives) +
                              tar_entry_of(at + "m/m_x.mtx", other_in_archives) + end_of_tar()));
  }
}

TEST_F(archive_file, reads_what_other_programs_write) {
  for (const char* name :
       {"gnu.tar", "gnu_long_name.tar.gz", "pax.tar", "ustar_prefix.tar", "v7_in_gnu.tar.gz"})
    expect_small_matrix(data_folder() / "archives" / name);
}

TEST_F(archive_file, names_the_member_in_messages) {
  const std::string tar =
      tar_entry_of("m/m.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n2 1 7\n") + end_of_tar();
  EXPECT_EQ(refusal(tar).substr(0, 15), "(m/m.mtx):3:1: ");
}

TEST_F(archive_file, has_to_have_one_matrix) {
  EXPECT_EQ(refusal(tar_entry_of("m/README", "text") + end_of_tar()), ": the archive has no .mtx file");
  EXPECT_EQ(refusal(tar_entry_of("a.mtx", matrix_in_archives) + tar_entry_of("b.mtx", matrix_in_archives) +
                    end_of_tar()),
            ": the archive has 2 .mtx files, 'a.mtx' and 'b.mtx' among them: extract the one that is meant");
  EXPECT_EQ(
      refusal(tar_entry_of("a/a.mtx", matrix_in_archives) + tar_entry_of("b/b.mtx", matrix_in_archives) +
              end_of_tar()),
      ": the archive has 2 .mtx files, 'a/a.mtx' and 'b/b.mtx' among them: extract the one that is meant");
}

TEST_F(archive_file, that_is_damaged_gives_one_line) {
  const std::string first = tar_entry_of("m/README", "text");
  const std::string matrix = tar_entry_of("m/m.mtx", matrix_in_archives);
  EXPECT_EQ(refusal(first + matrix.substr(0, 100)),
            ": byte 1024 of the archive: the archive is truncated in a header");
  std::string wrong = first + matrix;
  wrong[1024 + 10] = 'x';
  EXPECT_EQ(refusal(wrong),
            ": byte 1024 of the archive: this is no header of a tar archive: its checksum is wrong");
  EXPECT_EQ(refusal(first + matrix.substr(0, 512 + 20)),
            ": byte 1556 of the archive: the archive is truncated");
  EXPECT_EQ(refusal(tar_entry_of("long", std::string(std::size_t{2} << 20, 'n'), 'L')),
            ": byte 512 of the archive: a name in the archive is longer than 1 MiB");
  EXPECT_EQ(refusal(tar_entry_of("pax", "99999 path=a\n", 'x')),
            ": byte 525 of the archive: a pax record has a wrong length");
  EXPECT_EQ(refusal(tar_entry_of("pax", "12 size=abc\n", 'x')),
            ": byte 524 of the archive: a pax record has no size");
}

TEST_F(archive_file, cut_anywhere_is_an_error_or_the_whole_matrix) {
  const std::string tar = tar_entry_of("m/m.mtx", matrix_in_archives) + end_of_tar();
  for (std::size_t size = 1; size < tar.size(); size += 37) {
    const auto file = write(std::string_view(tar).substr(0, size));
    const auto got = error_of([&] { read_matrix_market<double>(file); });
    // The first block of zeros ends the archive.
    EXPECT_EQ(!got.has_value(), size == 1024 || size >= 1536) << size;
    const auto compressed = write(gzip(tar.substr(0, size)));
    EXPECT_EQ(error_of([&] { read_matrix_market<double>(compressed); }), got) << size;
  }
}

TEST_F(archive_file, in_damaged_gzip_data_has_the_message_of_gzip) {
  std::string compressed = gzip(tar_entry_of("m/m.mtx", matrix_in_archives) + end_of_tar());
  compressed.resize(compressed.size() - 12);
  EXPECT_NE(refusal(compressed).find("the gzip data is truncated"), std::string::npos);
}

class zstd_file : public archive_file {
 protected:
  void SetUp() override {
    if (io::make_zstd_stream(io::input_bytes(std::string_view{})) == nullptr)
      GTEST_SKIP() << "this build has no libzstd";
  }
  const std::string frame_ = slurp(data_folder() / "archives" / "small.mtx.zst");
};

TEST_F(zstd_file, gives_the_matrix_of_its_text) {
  expect_small_matrix(data_folder() / "archives" / "small.mtx.zst");
  expect_small_matrix(data_folder() / "archives" / "gnu.tar.zst");
  expect_small_matrix(write(frame_, "plain.mtx"));
}

TEST_F(zstd_file, may_have_several_frames) {
  // The second frame is empty, and the third is a frame to be skipped.
  const std::string empty("\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00", 9);
  const std::string skipped("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
  expect_small_matrix(write(frame_ + empty + skipped));
}

TEST_F(zstd_file, cut_anywhere_is_an_error) {
  for (std::size_t size = 4; size < frame_.size(); ++size)
    EXPECT_NE(refusal(std::string_view(frame_).substr(0, size)), "it was read") << size;
}

TEST_F(zstd_file, that_is_damaged_gives_one_line) {
  EXPECT_EQ(refusal(frame_ + "more"), ":6:1: the Zstandard data is followed by something else");
  std::string wrong = frame_;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);  // of the checksum
  EXPECT_EQ(refusal(wrong), ":1:1: the Zstandard data is damaged here");
  EXPECT_EQ(refusal(std::string_view(frame_).substr(0, frame_.size() - 1)),
            ":6:1: the Zstandard data is truncated: it breaks off here");
}

TEST_F(zstd_file, of_a_large_text_is_read_in_blocks) {
  const auto got = read_matrix_market<double>(data_folder() / "archives" / "large.mtx.zst");
  EXPECT_EQ(got.matrix.rows, 1);
  EXPECT_EQ(got.matrix.nnz(), 400000);
}

}  // namespace
}  // namespace gossamer::io_test::archives
