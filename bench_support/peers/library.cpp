// SPDX-License-Identifier: BSD-3-Clause
#include "bench_support/peers/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>

namespace gossamer::bench_support::peers {
namespace {

namespace fs = std::filesystem;

/// "" where the variable is unset or empty.
std::string environment(const char* variable) {
  const char* text = variable == nullptr ? nullptr : std::getenv(variable);
  return text == nullptr ? "" : text;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& each : parts) text += (text.empty() ? "" : ", ") + each;
  return text;
}

void* open(const std::string& name) {
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

std::string path_of(void* handle, const std::string& name) {
  const link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return name;
  return map->l_name;
}

/// Tries the names in one folder. A file that is there and does not load is remembered: that is the reason
/// worth telling.
loaded_library open_in(const fs::path& folder, const library_search& search, std::string& failure) {
  std::error_code ignored;
  for (const std::string& name : search.names) {
    const fs::path file = folder / name;
    if (!fs::exists(file, ignored)) continue;
    // The loader takes a library that is already there, by its name, for what the next one needs.
    for (const std::string& companion : search.companions) {
      if (fs::exists(folder / companion, ignored)) static_cast<void>(open(folder / companion));
    }
    if (void* handle = open(file)) return {handle, path_of(handle, file), ""};
    if (failure.empty()) failure = dlerror();
  }
  return {};
}

}  // namespace

std::vector<std::string> common_folders() {
  std::vector<std::string> folders;
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string prefix = environment(variable); !prefix.empty()) folders.push_back(prefix + "/lib");
  }
#if defined(GOSSAMER_PEERS_FOLDER)
  folders.emplace_back(GOSSAMER_PEERS_FOLDER);
#endif
  return folders;
}

loaded_library load(const library_search& search) {
  std::string failure;
  const std::string advice = "set " + std::string(search.variable) + " to the file or its folder";
  const std::string names = joined(search.names);

  if (const std::string given = environment(search.variable); !given.empty()) {
    std::error_code ignored;
    if (fs::is_directory(given, ignored)) {
      loaded_library library = open_in(given, search, failure);
      if (library.handle == nullptr)
        library.reason = search.variable + (" = \"" + given + "\": ") +
                         (failure.empty() ? "the folder has none of " + names : failure);
      return library;
    }
    library_search exactly = search;
    exactly.names = {fs::path(given).filename()};
    loaded_library library = open_in(fs::path(given).parent_path(), exactly, failure);
    if (library.handle == nullptr)
      library.reason = search.variable + (" = \"" + given + "\": ") +
                       (failure.empty() ? "there is no such file" : failure);
    return library;
  }

  for (const std::string& name : search.names) {
    if (void* handle = open(name)) return {handle, path_of(handle, name), ""};
  }
  std::vector<std::string> folders = search.folders;
  for (std::string& each : common_folders()) folders.push_back(std::move(each));
  for (const std::string& folder : folders) {
    if (loaded_library library = open_in(folder, search, failure); library.handle != nullptr) return library;
  }
  if (!failure.empty()) return {nullptr, "", failure};
  return {nullptr, "",
          names + ": not found by the loader" + (folders.empty() ? "" : " nor in " + joined(folders)) + "; " +
              advice};
}

void* symbols::find(const char* name) const noexcept {
  return dlsym(library_.handle, name);
}

}  // namespace gossamer::bench_support::peers
