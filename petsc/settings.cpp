// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "guarded.hpp"

namespace gossamer::petsc {
namespace {

constexpr std::size_t max_text = 1024;
constexpr int max_options = 32;

int local_rank = 0;

resource parse_device(const std::string& text) {
  if (text == "auto") {
    const int devices = cuda_device_count();
    if (devices == 0) return cpu{};
    return cuda{.device = local_rank % devices};
  }
  const resource where = parse_resource(text);
  if (const auto* gpu = std::get_if<cuda>(&where))
    cuda_properties(gpu->device);  // throws where there is none
  return where;
}

void check_format(const std::string& name) {
  if (name != "auto" && name != "tuned") find_format(name);
}

void add_option(settings& found, const std::string& text) {
  const auto end = text.find('=');
  if (end == std::string::npos || end == 0) throw error(errc::invalid_argument, "expected name=value");
  if (found.format == "auto" || found.format == "tuned") {
    throw error(errc::invalid_argument,
                "-mat_gossamer_format is " + found.format + ", which chooses the options itself");
  }
  const std::string name = text.substr(0, end);
  const auto& known = find_format(found.format).options;
  if (std::none_of(known.begin(), known.end(), [&](const option_info& each) { return each.name == name; })) {
    std::string names;
    for (const option_info& each : known) names.append(names.empty() ? "" : ", ").append(each.name);
    throw error(errc::invalid_argument, "format " + found.format + " has no such option; it has " +
                                            (names.empty() ? std::string("none") : names));
  }
  found.options.emplace_back(name, text.substr(end + 1));
}

/// PETSc cuts what the array does not hold, without a word.
std::string whole_text(const std::array<char, max_text>& read) {
  std::string text = read.data();
  if (text.size() + 1 >= max_text)
    throw error(errc::invalid_argument, "more than " + std::to_string(max_text - 2) + " characters");
  return text;
}

/// Of a container without contents, whose name is the prefix.
constexpr const char* inherited_as = "gossamer_prefix";

PetscErrorCode find_prefix(Mat matrix, const char*& prefix) {
  PetscObject container = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOptionsPrefix(matrix, &prefix));
  if (prefix != nullptr && *prefix != '\0') PetscFunctionReturn(success);
  PetscCall(PetscObjectQuery(reinterpret_cast<PetscObject>(matrix), inherited_as, &container));
  if (container != nullptr) PetscCall(PetscObjectGetName(container, &prefix));
  PetscFunctionReturn(success);
}

/// Runs what may throw; the message then begins with the option, of a long one with its beginning.
template <class F>
void naming(const std::string& option, F&& body) {
  constexpr std::size_t shown = 200;
  try {
    std::forward<F>(body)();
  } catch (const error& failure) {
    throw error(failure.code(),
                (option.size() > shown ? option.substr(0, shown) + "..." : option) + ": " + failure.what());
  }
}

}  // namespace

bool same(const settings& a, const settings& b) {
  return a.format == b.format && a.options == b.options && name(a.where) == name(b.where);
}

PetscErrorCode find_local_rank() {
  MPI_Comm machine;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  PetscCallMPI(MPI_Comm_rank(machine, &local_rank));
  PetscCallMPI(MPI_Comm_free(&machine));
  PetscFunctionReturn(success);
}

PetscErrorCode inherit_prefix(Mat from, Mat copy) {
  const char* prefix = nullptr;
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  PetscCall(find_prefix(from, prefix));
  if (prefix == nullptr) PetscFunctionReturn(success);
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscObjectSetName(reinterpret_cast<PetscObject>(container), prefix));
  PetscCall(PetscObjectCompose(reinterpret_cast<PetscObject>(copy), inherited_as,
                               reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(success);
}

PetscErrorCode read_settings(Mat matrix, settings& found) {
  MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  const char* prefix = nullptr;
  std::array<char, max_text> format{"auto"};
  std::array<char, max_text> device{"cpu"};
  std::array<char*, max_options> options{};
  PetscInt option_count = max_options;
  PetscBool copy = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(find_prefix(matrix, prefix));
  PetscOptionsBegin(comm, prefix, "Gossamer matrix options", "Mat");
  PetscCall(PetscOptionsString("-mat_gossamer_format", "Storage format, auto or tuned", "none", format.data(),
                               format.data(), format.size(), nullptr));
  PetscCall(PetscOptionsString("-mat_gossamer_device", "cpu, cuda:N, or auto: a GPU a process in turn",
                               "none", device.data(), device.data(), device.size(), nullptr));
  PetscCall(PetscOptionsStringArray("-mat_gossamer_option", "Options of the format, as name=value,name=value",
                                    "none", options.data(), &option_count, nullptr));
  PetscCall(PetscOptionsBool("-mat_gossamer_copy_user_arrays",
                             "Build plans for user-owned arrays; the program must report changes to PETSc",
                             "none", copy, &copy, nullptr));
  PetscOptionsEnd();
  const std::string dash = std::string("-") + (prefix != nullptr ? prefix : "");
  const PetscErrorCode code = guarded_together(comm, [&] {
    settings read;
    read.copy_user_arrays = copy == PETSC_TRUE;
    naming(dash + "mat_gossamer_format " + format.data(), [&] {
      read.format = whole_text(format);
      check_format(read.format);
    });
    naming(dash + "mat_gossamer_device " + device.data(),
           [&] { read.where = parse_device(whole_text(device)); });
    for (PetscInt i = 0; i < option_count; ++i) {
      naming(dash + "mat_gossamer_option " + options[i], [&] { add_option(read, options[i]); });
    }
    found = std::move(read);
  });
  for (PetscInt i = 0; i < option_count; ++i) PetscCall(PetscFree(options[i]));
  PetscCall(code);
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
