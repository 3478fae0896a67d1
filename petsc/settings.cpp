// SPDX-License-Identifier: BSD-3-Clause
#include "settings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "guarded.hpp"

namespace gossamer::petsc {
namespace {

constexpr std::size_t max_text = 256;
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
  if (name != "auto") find_format(name);
}

void add_option(settings& found, const std::string& text) {
  const auto end = text.find('=');
  if (end == std::string::npos || end == 0) throw error(errc::invalid_argument, "expected name=value");
  if (found.format == "auto") {
    throw error(errc::invalid_argument, "-mat_gossamer_format is auto, which chooses the options itself");
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

PetscErrorCode read_settings(Mat matrix, settings& found) {
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(matrix));
  const char* prefix = nullptr;
  std::array<char, max_text> format{"auto"};
  std::array<char, max_text> device{"cpu"};
  std::array<char*, max_options> options{};
  PetscInt option_count = max_options;
  PetscFunctionBegin;
  PetscCall(MatGetOptionsPrefix(matrix, &prefix));
  PetscOptionsBegin(comm, prefix, "Gossamer matrix options", "Mat");
  PetscCall(PetscOptionsString("-mat_gossamer_format", "Storage format, or auto", "none", format.data(),
                               format.data(), format.size(), nullptr));
  PetscCall(PetscOptionsString("-mat_gossamer_device", "cpu, cuda:N, or auto: a GPU a process in turn",
                               "none", device.data(), device.data(), device.size(), nullptr));
  PetscCall(PetscOptionsStringArray("-mat_gossamer_option", "Options of the format, as name=value,name=value",
                                    "none", options.data(), &option_count, nullptr));
  PetscOptionsEnd();
  const auto about = [&](const char* option, const char* value) {
    return std::string("-") + (prefix != nullptr ? prefix : "") + option + " " + value;
  };
  settings read;
  PetscCall(guarded(comm, about("mat_gossamer_format", format.data()).c_str(), [&] {
    read.format = format.data();
    check_format(read.format);
  }));
  PetscCall(guarded(comm, about("mat_gossamer_device", device.data()).c_str(),
                    [&] { read.where = parse_device(device.data()); }));
  for (PetscInt i = 0; i < option_count; ++i) {
    PetscCall(guarded(comm, about("mat_gossamer_option", options[i]).c_str(),
                      [&] { add_option(read, options[i]); }));
    PetscCall(PetscFree(options[i]));
  }
  found = std::move(read);
  PetscFunctionReturn(success);
}

}  // namespace gossamer::petsc
