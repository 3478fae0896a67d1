// SPDX-License-Identifier: BSD-3-Clause
// Files that change while they are read, and files whose blocks end anywhere.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "io/input_bytes.hpp"
#include "io/text_source.hpp"
#include "io_support.hpp"

namespace gossamer::io_test {
namespace {

std::string entries(int count) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n9 9 " + std::to_string(count) + "\n";
  for (int k = 0; k < count; ++k) text += std::to_string(k % 9 + 1) + " 4 " + std::to_string(k) + "\n";
  return text;
}

class changing_file : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string text = entries(200000);
    const bool packed = file_.extension() == ".gz";
    spill(file_, packed ? gzip(text) : text);
    size_ = static_cast<off_t>(std::filesystem::file_size(file_));
    ASSERT_GT(size_, 400000);  // more than is read at once
  }

  /// What reading says where `change` is done after the first blocks, on one thread.
  std::optional<caught_error> read_while(const std::function<void()>& change) const {
    int calls = 0;
    const auto once = [&](const progress&) {
      if (++calls == 2) change();
      return true;
    };
    return error_of([&] {
      const auto read =
          read_matrix_market<double>(file_, {.threads = 1, .chunk_bytes = 10000, .progress = once});
      EXPECT_EQ(read.matrix.nnz(), 200000);
    });
  }

  scratch_folder folder_;
  std::filesystem::path file_ = folder_ / GetParam();
  off_t size_ = 0;
};

TEST_P(changing_file, that_becomes_shorter_is_an_error) {
  for (const off_t size : {size_ - 1, off_t{5}, off_t{0}}) {
    SetUp();
    EXPECT_EQ(read_while([&] { ASSERT_EQ(::truncate(file_.c_str(), size), 0); }),
              (caught_error{errc::io_error,
                            file_.string() + ": the file changed while it was read: it became shorter"}));
  }
}

TEST_P(changing_file, that_becomes_longer_is_read_as_it_was) {
  EXPECT_EQ(read_while([&] { std::ofstream(file_, std::ios::app) << "more\n"; }), std::nullopt);
}

TEST_P(changing_file, that_is_replaced_is_read_as_it_was) {
  EXPECT_EQ(read_while([&] {
              spill(folder_ / "other", "nonsense");
              std::filesystem::rename(folder_ / "other", file_);
            }),
            std::nullopt);
}

TEST_P(changing_file, that_became_shorter_is_noticed_by_every_thread) {
  const io::input_bytes bytes(file_);
  ASSERT_EQ(::truncate(file_.c_str(), 0), 0);
  char room[10];
  EXPECT_EQ(error_of([&] { bytes.read(bytes.size() - 10, room); })->code, errc::io_error);
  EXPECT_EQ(error_of([&] { static_cast<void>(bytes.beginning(2)); })->code, errc::io_error);
}

INSTANTIATE_TEST_SUITE_P(io, changing_file, testing::Values("a.mtx", "a.mtx.gz"),
                         [](const auto& param) { return std::string(param.index == 0 ? "plain" : "gzip"); });

/// All blocks, each with a mark behind it.
std::string blocks_of(io::text_source& source, std::int64_t wanted) {
  std::string all;
  std::vector<char> storage;
  for (;;) {
    const io::text_block block = source.next(wanted, storage);
    all.append(block.text).append("|").append(block.defect);
    if (block.at_end() || !block.defect.empty()) return all;
  }
}

TEST(file_source, cuts_blocks_as_memory_does) {
  const scratch_folder folder;
  const std::string line(5000, 'a');  // longer than a first look for its end
  const std::string long_line(std::size_t{1} << 16, 'b');
  const std::string overlong(io::max_line_bytes + 1, 'c');
  const std::vector<std::string> texts{"",
                                       "\n",
                                       "a",
                                       entries(5000),
                                       entries(1000) + line + "\n" + long_line + "\n" + entries(10),
                                       line + "\n" + line,
                                       entries(10) + overlong + "\n"};
  for (const std::string& text : texts) {
    spill(folder / "text", text);
    const io::input_bytes bytes(folder / "text");
    for (const std::int64_t wanted : {1, 7, 4096, 4097, 10000, 1 << 20, 1 << 24}) {
      if (wanted != 10000 && text.size() > 1000000) continue;
      const auto file = io::make_plain_source(bytes);
      const auto memory = io::make_plain_source(std::string_view(text));
      const std::string expected = blocks_of(*memory, wanted);
      EXPECT_TRUE(blocks_of(*file, wanted) == expected) << text.size() << " bytes, wanted " << wanted;
      file->rewind();
      EXPECT_TRUE(blocks_of(*file, wanted) == expected) << text.size() << " bytes, wanted " << wanted;
    }
  }
}

TEST(gzip_source, members_may_span_windows) {
  // Noise does not compress: members begin and end anywhere in the windows in which a file is read.
  std::mt19937 noise(1);
  std::string text;
  std::string packed;
  for (int member = 0; member < 40; ++member) {
    std::string part(noise() % 60000, '\0');
    for (char& c : part) c = static_cast<char>(noise());
    text += part;
    packed += gzip(part);
  }
  packed += std::string(600000, '\0');
  const io::input_bytes bytes{std::string_view(packed)};
  for (const io::gzip_engine engine : {io::gzip_engine::fastest, io::gzip_engine::zlib}) {
    const auto source = io::make_gzip_source(bytes, engine);
    std::string got;
    std::vector<char> storage;
    for (;;) {
      const io::text_block block = source->next(100000, storage);
      EXPECT_EQ(block.defect, "");
      if (block.at_end() || !block.defect.empty()) break;
      got.append(block.text);
    }
    EXPECT_TRUE(got == text) << got.size() << " of " << text.size() << " bytes";
  }
}

TEST(reading_descriptor, nonblocking_pipe_waits_for_the_writer) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  const std::string text = entries(3);
  std::thread writer([&] {
    for (const char& byte : text) {
      if (&byte - text.data() == 9) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_EQ(::write(ends[1], &byte, 1), 1);
    }
    ::close(ends[1]);
  });
  std::int64_t entries_read = -1;
  EXPECT_EQ(error_of([&] {
              entries_read = read_matrix_market<double>("/dev/fd/" + std::to_string(ends[0])).matrix.nnz();
            }),
            std::nullopt);
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(entries_read, 3);
}

TEST(reading_descriptor, starts_at_the_current_offset) {
  const scratch_folder folder;
  const std::string text = entries(10);
  spill(folder / "a", "a line for somebody else\n" + text);
  const int number = ::open((folder / "a").c_str(), O_RDONLY);
  ASSERT_EQ(::lseek(number, 25, SEEK_SET), 25);
  const std::string name = "/dev/fd/" + std::to_string(number);
  EXPECT_EQ(read_matrix_market<double>(name).matrix.nnz(), 10);
  EXPECT_EQ(::lseek(number, 0, SEEK_CUR), static_cast<off_t>(25 + text.size()));
  EXPECT_EQ(error_of([&] { read_matrix_market<double>(name); }),
            (caught_error{errc::parse_error, name + ":1:1: the file is empty"}));
  ::close(number);
}

}  // namespace
}  // namespace gossamer::io_test
