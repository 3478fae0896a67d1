// SPDX-License-Identifier: BSD-3-Clause
// Libraries that are loaded when first asked for: where they are looked for, and their functions by name.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gossamer::bench_support::peers {

/// Where a library may lie. With the environment variable set, nowhere else; else wherever the loader looks,
/// then in the folders of common_folders() and `folders`.
struct library_search {
  const char* variable = nullptr;    ///< environment: the file, or its folder
  std::vector<std::string> names;    ///< of the file, tried in this order
  std::vector<std::string> folders;  ///< where its installer puts it
  std::vector<std::string>
      companions;  ///< libraries that it needs and that may lie beside it, in order of need
};

struct loaded_library {
  void* handle = nullptr;  ///< never closed
  std::string path;        ///< of the file, as the loader found it
  std::string reason;      ///< one line, where handle is null
};

/// Throws nothing for a library that is not there.
loaded_library load(const library_search& search);

/// lib of $VIRTUAL_ENV and of $CONDA_PREFIX, and the folder that scripts/bundle --peers filled, where there
/// are such.
std::vector<std::string> common_folders();

/// Functions of a library by name, and which of them it lacks.
class symbols {
 public:
  explicit symbols(const loaded_library& library) : library_(library) {}

  template <class Function>
  requires std::is_function_v<Function>
  void bind(Function*& function, const char* name) {
    bind_optional(function, name);
    if (function == nullptr) lacking_ += (lacking_.empty() ? "" : ", ") + std::string(name);
  }
  /// The same for a function that not every version has: null where it is missing.
  template <class Function>
  requires std::is_function_v<Function>
  void bind_optional(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(find(name));
  }
  /// "" or one line that says what is missing.
  [[nodiscard]] std::string reason() const {
    return lacking_.empty() ? "" : library_.path + " lacks " + lacking_;
  }

 private:
  void* find(const char* name) const noexcept;

  const loaded_library& library_;
  std::string lacking_;
};

/// What was looked up, or why it could not be.
template <class Api>
struct found {
  const Api* api = nullptr;
  std::string reason;
};

/// Looks something up until it is there once, from any thread.
template <class Api>
class looked_up {
 public:
  /// load(api) returns "" or the reason.
  template <class Load>
  found<Api> find(Load&& load) {
    const std::lock_guard lock(mutex_);
    if (!there_) {
      Api api{};
      std::string reason = load(api);
      if (!reason.empty()) return {nullptr, std::move(reason)};
      api_ = std::move(api);
      there_ = true;
    }
    return {&api_, ""};
  }

 private:
  std::mutex mutex_;
  bool there_ = false;
  Api api_{};
};

}  // namespace gossamer::bench_support::peers
