// SPDX-License-Identifier: BSD-3-Clause
#include "tune/store.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tune/hash.hpp"

namespace gossamer::inline v0::tuning {
namespace {

namespace fs = std::filesystem;
using stored_json = nlohmann::ordered_json;

constexpr int layout = 1;  // of the files

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : std::string_view(text);
}

fs::path file_of(const fs::path& folder, const std::string& key) {
  hasher h;
  for (const char c : key) h.add(static_cast<unsigned char>(c));
  std::ostringstream name;
  name << std::hex << h.value() << ".json";
  return folder / name.str();
}

void write_whole(const fs::path& file, const std::string& text) {
  static std::atomic<unsigned> number{0};
  fs::path beside = file;
  beside += "." + std::to_string(::getpid()) + "." + std::to_string(++number) + ".part";
  std::ofstream out(beside, std::ios::binary);
  out << text;
  out.close();
  std::error_code code;
  if (out) fs::rename(beside, file, code);
  if (!out || code) fs::remove(beside, code);
}

}  // namespace

fs::path cache_folder() {
  if (const char* const told = std::getenv("GOSSAMER_CACHE")) return told;
  if (const auto caches = variable("XDG_CACHE_HOME"); !caches.empty()) return fs::path(caches) / "gossamer";
  if (const auto home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "gossamer";
  return {};
}

std::optional<stored_json> read_kept(const fs::path& folder, const std::string& key) {
  if (folder.empty()) return {};
  try {
    std::ifstream in(file_of(folder, key), std::ios::binary);
    if (!in) return {};
    stored_json object = stored_json::parse(in);
    if (object.at("layout") != layout || object.at("key").get<std::string>() != key) return {};
    return object;
  } catch (const stored_json::exception&) {
    return {};
  }
}

void keep(const fs::path& folder, const std::string& key, const stored_json& members) noexcept {
  if (folder.empty()) return;
  try {
    stored_json object = {{"layout", layout}, {"key", key}};
    object.update(members);
    std::error_code code;
    fs::create_directories(folder, code);
    write_whole(file_of(folder, key), object.dump(1) + "\n");
  } catch (...) {
    // Not kept.
  }
}

}  // namespace gossamer::inline v0::tuning
