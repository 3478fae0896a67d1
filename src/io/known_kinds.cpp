// SPDX-License-Identifier: BSD-3-Clause
#include "io/known_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gossamer::inline v0::io {
namespace {

using namespace std::literals;

struct signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view kind;
};

constexpr std::string_view petsc_matrix =
    "this is a PETSc binary file of a matrix: convert it in Python with PETSc's PetscBinaryIO.py: "
    "scipy.io.mmwrite("
    "'out.mtx', PetscBinaryIO().readBinaryFile('in.dat', mattype='scipy.sparse')[0].astype(float))"sv;
constexpr std::string_view petsc_vector =
    "this is a PETSc binary file of a vector: convert it in Python with PETSc's PetscBinaryIO.py: "
    "scipy.io.mmwrite("
    "'out.mtx', PetscBinaryIO().readBinaryFile('in.dat')[0].astype(float).reshape(-1, 1))"sv;
constexpr std::string_view matlab =
    "this is a MATLAB .mat file: convert it in Python with scipy.io.mmwrite('out.mtx', "
    "scipy.io.loadmat('in.mat')['A']), where A is the variable's name"sv;
constexpr std::string_view hdf5 =
    "this is an HDF5 file: convert it with a program that knows what it stores; h5py reads such files in Python"sv;
constexpr std::string_view utf16 =
    "this is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8 IN > OUT"sv;

constexpr std::array signatures = {
    signature{0, "BZh"sv, "this is a bzip2 file: decompress it with bzip2 -dk FILE"sv},
    signature{0,
              "\xfd"
              "7zXZ\0"sv,
              "this is an xz file: decompress it with xz -dk FILE"sv},
    signature{0, "\x28\xb5\x2f\xfd"sv, "this is a Zstandard file: decompress it with zstd -d FILE"sv},
    signature{0, "\x04\x22\x4d\x18"sv, "this is an LZ4 file: decompress it with lz4 -d FILE"sv},
    signature{0, "\x1f\x9d"sv, "this is a file of the program compress: decompress it with gzip -d FILE"sv},
    signature{0, "7z\xbc\xaf\x27\x1c"sv,
              "this is a 7z archive: extract the .mtx file in it with 7z x FILE"sv},
    signature{0, "PK\x03\x04"sv, "this is a zip archive: extract the .mtx file in it with unzip FILE"sv},
    signature{257, "ustar"sv, "this is a tar archive: extract the .mtx file in it with tar -xf FILE"sv},
    signature{0, "\x93NUMPY"sv,
              "this is a NumPy .npy file: convert it in Python with scipy.io.mmwrite('out.mtx', "
              "numpy.load('in.npy'))"sv},
    signature{0, "MATLAB 7.3 MAT-file"sv,
              "this is a MATLAB 7.3 .mat file: save it in MATLAB with -v7, then convert it in Python with "
              "scipy.io.mmwrite('out.mtx', scipy.io.loadmat('in.mat')['A'])"sv},
    signature{0, "MATLAB 5.0 MAT-file"sv, matlab},
    signature{0, "\x89HDF\r\n\x1a\n"sv, hdf5},
    signature{0, "\x00\x12\x7b\x50"sv, petsc_matrix},  // MAT_FILE_CLASSID and VEC_FILE_CLASSID, big-endian
    signature{0, "\x00\x12\x7b\x4e"sv, petsc_vector},
    signature{0, "\0\0\0\0\x00\x12\x7b\x50"sv, petsc_matrix},  // with 64-bit indices
    signature{0, "\0\0\0\0\x00\x12\x7b\x4e"sv, petsc_vector},
    signature{0, "\xff\xfe"sv, utf16},
    signature{0, "\xfe\xff"sv, utf16},
};

/// NumPy's archives: the zip's first member is an array.
bool is_npz(std::string_view start) noexcept {
  constexpr std::size_t name = 30;
  if (!start.starts_with("PK\x03\x04"sv) || start.size() < name) return false;
  const auto length = static_cast<unsigned char>(start[26]);
  return start.substr(name, length).ends_with(".npy");
}

/// Version 4 has no signature: type, rows, columns, whether complex, length of a name that ends in a zero
/// byte.
bool is_matlab_4(std::string_view start) noexcept {
  constexpr std::size_t header = 20;
  if (start.size() < header) return false;
  const auto number = [&](std::size_t k) {
    std::uint32_t n = 0;
    for (std::size_t b = 0; b < 4; ++b)
      n |= std::uint32_t{static_cast<unsigned char>(start[4 * k + b])} << (8 * b);
    return n;
  };
  const std::uint32_t type = number(0);  // thousands: byte order; tens: precision; ones: full, text or sparse
  const std::uint32_t length = number(4);
  if (type > 52 || type / 10 > 5 || type % 10 > 2 || number(3) > 1 || length < 2 || length > 64) return false;
  if (start.size() < header + length || start[header + length - 1] != '\0') return false;
  const std::string_view name = start.substr(header, length - 1);
  return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// How many numbers the line has, and nothing else; 0 where it has something else.
int count_integers(std::string_view line) noexcept {
  if (line.find_first_not_of("0123456789 ") != line.npos) return 0;
  int count = 0;
  for (std::size_t k = 0; k < line.size(); ++k)
    count += line[k] != ' ' && (k == 0 || line[k - 1] == ' ') ? 1 : 0;
  return count;
}

/// The second line counts lines, the third has a type such as RUA and sizes, the fourth Fortran formats.
bool is_harwell_boeing(std::string_view start) noexcept {
  const std::string_view title = take_line(start);
  const int counts = count_integers(take_line(start));
  const std::string_view sizes = take_line(start);
  const std::string_view formats = take_line(start);
  const auto has = [&](std::size_t k, std::string_view letters) {
    return letters.find(static_cast<char>(sizes[k] & ~0x20)) != letters.npos;
  };
  return !title.starts_with('%') && counts >= 3 && counts <= 5 && sizes.size() > 3 && has(0, "RCPIQ") &&
         has(1, "SUHZR") && has(2, "AE") && count_integers(sizes.substr(3)) >= 3 && formats.find('(') < 3;
}

/// It has the banner, whatever a comment behind it looks like.
bool is_matrix_market(std::string_view start) noexcept {
  constexpr std::string_view utf8_byte_order_mark = "\xef\xbb\xbf"sv;
  constexpr std::string_view banner = "%matrixmarket"sv;
  if (start.starts_with(utf8_byte_order_mark)) start.remove_prefix(utf8_byte_order_mark.size());
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\v\f"), start.size()));
  if (start.starts_with("%%")) start.remove_prefix(1);
  return std::equal(banner.begin(), banner.end(), start.begin(),
                    start.begin() + std::min(start.size(), banner.size()),
                    [](char a, char b) { return a == b || (b >= 'A' && b <= 'Z' && a == b - 'A' + 'a'); });
}

}  // namespace

std::string_view known_kind(std::string_view start) noexcept {
  if (is_matrix_market(start)) return {};
  if (is_npz(start))
    return "this is a NumPy or SciPy .npz file: convert it in Python with scipy.io.mmwrite('out.mtx', "
           "scipy.sparse.load_npz('in.npz'))";
  for (const signature& s : signatures) {
    if (start.size() > s.offset && start.substr(s.offset).starts_with(s.bytes)) return s.kind;
  }
  if (is_matlab_4(start)) return matlab;
  if (is_harwell_boeing(start))
    return "this is a Harwell-Boeing or Rutherford-Boeing file: convert it in Python with "
           "scipy.io.mmwrite('out.mtx', scipy.io.hb_read('in.rb'))";
  return {};
}

}  // namespace gossamer::inline v0::io
