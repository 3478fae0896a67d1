// SPDX-License-Identifier: BSD-3-Clause
// replay FOLDER...: runs a fuzz target over the files of folders, each as it is and in some hundred
// variations, the same ones on every run. Stands in for libFuzzer where there is only a compiler.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"

namespace {

constexpr int variations = 100;
constexpr std::size_t largest = std::size_t{1} << 16;

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}
  /// SplitMix64 (Steele, Lea and Flood 2014), below `bound`.
  std::size_t below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

void vary(std::string& bytes, random_numbers& random) {
  static constexpr char characters[] = "0123456789-+.eEdD% \t\r\n(),=kMG_\0\xff";
  static constexpr std::string_view interesting(characters, sizeof(characters) - 1);
  const std::size_t at = bytes.empty() ? 0 : random.below(bytes.size());
  switch (random.below(5)) {
    case 0:
      if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      if (!bytes.empty()) bytes[at] = interesting[random.below(interesting.size())];
      break;
    case 2:
      bytes.insert(at, 1, interesting[random.below(interesting.size())]);
      break;
    case 3:
      bytes.erase(at, 1 + random.below(16));
      break;
    default:
      bytes.insert(at, bytes.substr(at, 1 + random.below(64)));
      break;
  }
}

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int k = 1; k < argc; ++k) {
    for (const auto& each : std::filesystem::directory_iterator(argv[k])) files.push_back(each.path());
  }
  std::sort(files.begin(), files.end());
  std::size_t seed = 0;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
      std::cerr << file << ": cannot be read\n";
      return EXIT_FAILURE;
    }
    run(whole);
    if (whole.size() > largest) continue;
    random_numbers random(seed++);
    for (int k = 0; k < variations; ++k) {
      std::string bytes = whole;
      for (std::size_t times = 1 + random.below(4); times > 0; --times) vary(bytes, random);
      run(bytes);
    }
  }
  std::cout << files.size() << " files, " << variations << " variations of each\n";
  return files.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
