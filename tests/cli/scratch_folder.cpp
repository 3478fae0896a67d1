// SPDX-License-Identifier: BSD-3-Clause
// A folder of its own for every test, so that tests may run side by side.
#include "scratch_folder.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace gossamer::test {

scratch_folder::scratch_folder()
    : folder_((std::filesystem::temp_directory_path() / "gossamer_cli_XXXXXX").string()) {
  if (mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "cannot make a folder like " << folder_;
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string scratch_folder::path(std::string_view name) const {
  return folder_ + "/" + std::string(name);
}

std::string scratch_folder::file(std::string_view name, std::string_view text) const {
  const std::string there = path(name);
  std::ofstream(there, std::ios::binary) << text;
  return there;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace gossamer::test
