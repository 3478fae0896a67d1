// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <nanobind/stl/string.h>

#include "errors.hpp"
#include "gil.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gossamer::python {

arrays::arrays(const gossamer_arrays& given, nb::object owner) : owner_(std::move(owner)) {
  gossamer_status status = GOSSAMER_SUCCESS;
  {
    const gil_released released;
    status = gossamer_matrix_create(&handle_, &given);
  }
  check(status);
}

arrays arrays::read(const std::string& file, gossamer_type type) {
  gossamer_matrix* handle = nullptr;
  gossamer_status status = GOSSAMER_SUCCESS;
  {
    const gil_released released;
    status = gossamer_matrix_read(&handle, file.c_str(), type);
  }
  check(status);
  return arrays(handle);
}

gossamer_arrays arrays::view() const {
  gossamer_arrays result{};
  result.struct_size = sizeof result;
  check(gossamer_matrix_arrays(handle_, &result));
  return result;
}

void arrays::write(const std::string& file) const {
  gossamer_status status = GOSSAMER_SUCCESS;
  {
    const gil_released released;
    status = gossamer_matrix_write(handle_, file.c_str());
  }
  check(status);
}

namespace {

/// The members of a gossamer_arrays as a Python dict. Arrays in host memory are NumPy arrays that refer to
/// it; those in device memory are pointers.
nb::dict members(nb::handle_t<arrays> self) {
  const auto& matrix = nb::cast<const arrays&>(self);
  const gossamer_arrays view = matrix.view();
  const bool writable = matrix.owner().is_none();  // the arrays are nobody else's
  const std::int64_t major = view.layout == GOSSAMER_CSC ? view.cols : view.rows;
  const auto array = [&](const void* data, std::int64_t size, gossamer_type type) -> nb::object {
    if (view.memory == GOSSAMER_DEVICE) return nb::int_(reinterpret_cast<std::uintptr_t>(data));
    return view_of(data, size, type, self, writable);
  };
  nb::dict result;
  result["layout"] = view.layout;
  result["device"] = view.memory == GOSSAMER_DEVICE ? nb::object(nb::int_(view.device)) : nb::none();
  result["shape"] = nb::make_tuple(view.rows, view.cols);
  result["nnz"] = view.nnz;
  result["types"] = nb::make_tuple(view.value_type, view.offset_type, view.index_type);
  result["offsets"] = array(view.offsets, major + 1, view.offset_type);
  result["indices"] = array(view.indices, view.nnz, view.index_type);
  result["values"] = array(view.values, view.nnz, view.value_type);
  return result;
}

}  // namespace

void bind_arrays(nb::module_& module) {
  nb::class_<arrays>(module, "Arrays", "The arrays of a sparse matrix, for inspect().")
      .def(
          "__init__",
          [](arrays* self, gossamer_layout layout, std::int64_t rows, std::int64_t cols, std::int64_t nnz,
             std::uintptr_t offsets, std::uintptr_t indices, std::uintptr_t values, gossamer_type offset_type,
             gossamer_type index_type, gossamer_type value_type, int device, nb::object owner) {
            const gossamer_arrays given{.struct_size = sizeof(gossamer_arrays),
                                        .layout = layout,
                                        .memory = device < 0 ? GOSSAMER_HOST : GOSSAMER_DEVICE,
                                        .value_type = value_type,
                                        .offset_type = offset_type,
                                        .index_type = index_type,
                                        .base = 0,
                                        .device = device < 0 ? 0 : device,
                                        .rows = rows,
                                        .cols = cols,
                                        .nnz = nnz,
                                        .offsets = reinterpret_cast<const void*>(offsets),
                                        .indices = reinterpret_cast<const void*>(indices),
                                        .values = reinterpret_cast<const void*>(values)};
            new (self) arrays(given, std::move(owner));
          },
          "layout"_a, "rows"_a, "cols"_a, "nnz"_a, "offsets"_a, "indices"_a, "values"_a, "offset_type"_a,
          "index_type"_a, "value_type"_a, "device"_a, "owner"_a.none(),
          "Refers to arrays at these addresses; device: -1 for host memory. owner keeps them alive.")
      .def_static("read", &arrays::read, "file"_a, "value_type"_a, "Reads a Matrix Market file.")
      .def("write", &arrays::write, "file"_a, "Writes a Matrix Market file.")
      .def("members", &members, "Layout, shape and arrays, as a dict.");
}

}  // namespace gossamer::python
