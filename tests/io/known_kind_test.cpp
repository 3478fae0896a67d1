// SPDX-License-Identifier: BSD-3-Clause
// Files of other kinds are named, with the way to convert them: plain, inside gzip data and whatever their
// names are.
#include "io/known_kinds.hpp"
#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

using namespace std::literals;

struct other_file {
  const char* name;
  std::string bytes;
  const char* reason;
};

std::string padded(std::string bytes, std::size_t size) {
  bytes.resize(std::max(size, bytes.size()));
  return bytes;
}

std::string tar_of(std::string_view text) {
  std::string header = padded("a/a.mtx", 257) + "ustar\00000"s;
  return padded(header, 512) + padded(std::string(text), 1024);
}

std::string matlab_4(std::string_view name) {
  std::string bytes = "\0\0\0\0\x02\0\0\0\x02\0\0\0\0\0\0\0"s;
  bytes += static_cast<char>(name.size() + 1);
  return bytes + "\0\0\0"s + std::string(name) + "\0"s + std::string(32, '\0');
}

std::vector<other_file> other_files() {
  return {
      {"bzip2", "BZh91AY&SY\x01\x02\x03", "a bzip2 file: decompress it with bzip2"},
      {"xz", "\xfd"s + "7zXZ\0\0\x04"s, "an xz file: decompress it with xz"},
      {"lz4", "\x04\x22\x4d\x18\x64\x40"s, "an LZ4 file: decompress it with lz4"},
      {"compress", "\x1f\x9d\x90\x25"s, "of the program compress: decompress it with gzip"},
      {"seven_zip", "7z\xbc\xaf\x27\x1c\0\x04"s, "a 7z archive: extract"},
      {"zip", "PK\x03\x04\x14\0\0\0\x08\0"s + std::string(16, 'x') + "\x05\0\0\0a.mtx"s,
       "a zip archive: extract"},
      {"npz", "PK\x03\x04\x14\0\0\0\x08\0"s + std::string(16, 'x') + "\x0b\0\0\0indices.npy"s,
       "NumPy or SciPy .npz file: convert it in Python with scipy.io.mmwrite"},
      {"npy", "\x93NUMPY\x01\0v\0{'descr': '<f8'}"s,
       "NumPy .npy file: convert it in Python with scipy.io.mmwrite"},
      {"tar", tar_of("%%MatrixMarket matrix coordinate real general\n1 1 0\n"),
       "a tar archive: extract the .mtx file"},
      {"matlab_4", matlab_4("A"), "a MATLAB .mat file: convert it in Python with scipy.io.mmwrite"},
      {"matlab_5", padded("MATLAB 5.0 MAT-file, Platform: GLNXA64", 128), "a MATLAB .mat file"},
      {"matlab_7_3", padded("MATLAB 7.3 MAT-file, Platform: GLNXA64", 512) + "\x89HDF\r\n\x1a\n",
       "a MATLAB 7.3 .mat file"},
      {"hdf5", "\x89HDF\r\n\x1a\n\0\0"s, "an HDF5 file"},
      {"petsc_matrix", "\0\x12\x7b\x50\0\0\0\x02\0\0\0\x02\0\0\0\0"s,
       "a PETSc binary file of a matrix: convert it in Python"},
      {"petsc_vector", "\0\x12\x7b\x4e\0\0\0\x01\0\0\0\0\0\0\0\0"s, "a PETSc binary file of a vector"},
      {"petsc_matrix_64", "\0\0\0\0\0\x12\x7b\x50\0\0\0\0\0\0\0\x02"s, "a PETSc binary file of a matrix"},
      {"harwell_boeing", slurp(data_folder() / "invalid" / "harwell_boeing.mtx"),
       "Harwell-Boeing or Rutherford-Boeing file: convert it in Python with scipy.io.mmwrite"},
  };
}

std::string refusal_of(const std::filesystem::path& file) {
  const auto got = error_of([&] { read_matrix_market<double>(file); });
  if (!got) return "it was read";
  EXPECT_EQ(got->code, errc::unsupported) << *got;
  EXPECT_EQ(error_of([&] { read_vector<float>(file); }), got);
  return got->message;
}

TEST(file_of_another_kind, is_named_with_the_way_to_convert_it) {
  const scratch_folder folder;
  for (const other_file& other : other_files()) {
    SCOPED_TRACE(other.name);
    for (const char* name : {"a.mtx", "a.mtx.gz"}) {
      spill(folder / name, other.bytes);
      const std::string plain = refusal_of(folder / name);
      EXPECT_NE(plain.find(other.reason), std::string::npos) << plain;
      EXPECT_EQ(plain.find('\n'), std::string::npos);
      spill(folder / name, gzip(other.bytes));
      EXPECT_EQ(refusal_of(folder / name), plain);
    }
  }
}

TEST(file_of_another_kind, may_have_no_line_end_at_all) {
  const scratch_folder folder;
  spill(folder / "a", "\x89HDF\r\n\x1a"s + "\n"s + std::string(std::size_t{17} << 20, 'x'));
  EXPECT_NE(refusal_of(folder / "a").find("an HDF5 file"), std::string::npos);
  spill(folder / "a", gzip("PK\x03\x04"s + std::string(std::size_t{17} << 20, 'x')));
  EXPECT_NE(refusal_of(folder / "a").find("a zip archive"), std::string::npos);
}

TEST(known_kind, is_not_checked_for_files_with_a_banner) {
  const scratch_folder folder;
  for (const char* word :
       {"%%MatrixMarket", "%MatrixMarket", " %%matrixmarket", "\xef\xbb\xbf%%MatrixMarket"}) {
    std::string text = std::string(word) + " matrix coordinate real general\n%";
    text.resize(257, ' ');
    text += "ustar\n2 2 1\n1 1 1\n";
    EXPECT_EQ(parse_matrix_market<double>(text, "memory").matrix.nnz(), 1) << word;
    spill(folder / "a.mtx.gz", gzip(text));
    EXPECT_EQ(read_matrix_market<double>(folder / "a.mtx.gz").matrix.nnz(), 1) << word;
  }
  EXPECT_EQ(io::known_kind(padded("%%Matrix", 257) + "ustar"s).find("this is a tar archive"), 0u);
}

TEST(known_kind, does_not_claim_other_text) {
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "valid"))
    EXPECT_EQ(io::known_kind(slurp(entry.path()).substr(0, 512)), "") << entry.path();
  for (const std::string_view text :
       {"", "1 2 3\n4 5 6\n", "title\n1 1 1 1\nnot a type 1 1 1\n(I8)\n", "B", "P", "\x1f",
        "%%MatrixMarket matrix coordinate real general\n1 1 1\nRSA 1 1 1\n(1)\n"})
    EXPECT_EQ(io::known_kind(text), "") << text;
}

}  // namespace
}  // namespace gossamer::io_test
