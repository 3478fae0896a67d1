// SPDX-License-Identifier: BSD-3-Clause
#include "vectors.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>

#include "errors.hpp"

namespace nb = nanobind;

namespace gossamer::python {
namespace {

PyArrayObject* as_array(nb::handle object) noexcept {
  return reinterpret_cast<PyArrayObject*>(object.ptr());
}

/// The object that a function of NumPy made; throws if it failed.
nb::object made(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

int numpy_type(gossamer_type type) noexcept {
  switch (type) {
    case GOSSAMER_F32:
      return NPY_FLOAT32;
    case GOSSAMER_F64:
      return NPY_FLOAT64;
    case GOSSAMER_I32:
      return NPY_INT32;
    default:
      return NPY_INT64;
  }
}

std::string text_of(nb::handle object) {
  return nb::str(object).c_str();
}
std::string type_of(nb::handle array) {
  return text_of(array.attr("dtype"));
}
const char* type_name(gossamer_type type) noexcept {
  return type == GOSSAMER_F32 ? "float32" : "float64";
}

[[noreturn]] void fail_conversion(nb::handle x, gossamer_type type) {
  const std::string given = type_of(x);
  if (given.starts_with("complex"))
    fail_type("x has dtype " + given + ": complex vectors are not supported yet");
  const std::string wanted = type_name(type);
  fail_type("x has dtype " + given + ", which does not convert to the matrix's " + wanted +
            " exactly: pass x.astype(\"" + wanted + "\")");
}

/// x with aligned elements of `type`, in x's order.
nb::object converted(nb::handle x, gossamer_type type) {
  PyArray_Descr* const wanted = PyArray_DescrFromType(numpy_type(type));
  if (!PyArray_CanCastArrayTo(as_array(x), wanted, NPY_SAFE_CASTING)) {
    Py_DECREF(wanted);
    fail_conversion(x, type);
  }
  return made(PyArray_FromArray(as_array(x), wanted, NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED));
}

bool has_type(PyArrayObject* array, gossamer_type type) noexcept {
  return PyArray_TYPE(array) == numpy_type(type) && PyArray_ISBEHAVED_RO(array);
}

/// Describes the array, or its transpose, as a dense matrix; a vector has one column. False if its strides
/// are those of no such matrix. A contiguous column is column-major.
bool describe(PyArrayObject* array, bool transposed, std::int64_t element, gossamer_dense& to) noexcept {
  const bool is_vector = PyArray_NDIM(array) == 1;
  std::int64_t rows = PyArray_DIM(array, 0);
  std::int64_t cols = is_vector ? 1 : PyArray_DIM(array, 1);
  std::int64_t down = PyArray_STRIDE(array, 0);
  std::int64_t across = is_vector ? element : PyArray_STRIDE(array, 1);
  if (transposed && !is_vector) {
    std::swap(rows, cols);
    std::swap(down, across);
  }
  to = {.struct_size = sizeof(gossamer_dense),
        .order = GOSSAMER_COLUMN_MAJOR,
        .memory = GOSSAMER_HOST,
        .rows = rows,
        .cols = cols,
        .leading = std::max<std::int64_t>(rows, 1),
        .data = PyArray_DATA(array)};
  const auto fits = [element](std::int64_t stride, std::int64_t least) {
    return stride % element == 0 && stride >= least * element;
  };
  if (rows == 0 || cols == 0) return true;  // such arrays have any strides
  if (cols == 1 && (rows == 1 || down == element)) return true;
  if (cols == 1 || across == element) {
    to.order = GOSSAMER_ROW_MAJOR;
    to.leading = cols;
    if (rows == 1) return true;
    if (fits(down, to.leading)) {
      to.leading = down / element;
      return true;
    }
  }
  if (rows == 1 || down == element) {
    to.order = GOSSAMER_COLUMN_MAJOR;
    to.leading = rows;
    if (fits(across, to.leading)) {
      to.leading = across / element;
      return true;
    }
  }
  return false;
}

bool is_contiguous_column(const gossamer_dense& matrix) noexcept {
  return matrix.cols == 1 && matrix.order == GOSSAMER_COLUMN_MAJOR;
}

void check_x(nb::handle x, bool from_left, std::int64_t expected) {
  const int dimensions = PyArray_NDIM(as_array(x));
  if (dimensions != 1 && dimensions != 2)
    fail(GOSSAMER_INVALID_ARGUMENT, "x has " + std::to_string(dimensions) + " dimensions, not 1 or 2");
  const int axis = from_left ? dimensions - 1 : 0;
  if (PyArray_DIM(as_array(x), axis) != expected)
    fail(GOSSAMER_SIZE_MISMATCH, "x has shape " + text_of(x.attr("shape")) + ", but " +
                                     (from_left ? "columns" : "rows") + " of x have to have " +
                                     std::to_string(expected) + " elements");
}

void check_out(nb::handle out, const npy_intp* shape, int dimensions, gossamer_type type) {
  if (!is_numpy_array(out)) fail_type("out is no NumPy array, but x is one");
  PyArrayObject* const array = as_array(out);
  if (PyArray_NDIM(array) != dimensions || !std::equal(shape, shape + dimensions, PyArray_DIMS(array))) {
    std::string wanted = std::to_string(shape[0]) + (dimensions == 1 ? "," : ", " + std::to_string(shape[1]));
    fail(GOSSAMER_SIZE_MISMATCH,
         "out has shape " + text_of(out.attr("shape")) + ", the product has (" + wanted + ")");
  }
  if (PyArray_TYPE(array) != numpy_type(type))
    fail_type("out has dtype " + type_of(out) + ", the product has " + type_name(type));
  if (!PyArray_ISBEHAVED(array))
    fail(GOSSAMER_INVALID_ARGUMENT, "out is read-only, not aligned or in another byte order");
}

}  // namespace

void import_numpy() {
  if (PyArray_ImportNumPyAPI() < 0) throw nb::python_error();
}

bool is_numpy_array(nb::handle object) noexcept {
  return PyArray_Check(object.ptr());
}

nb::object multiply_numpy(nb::handle self, const matrix_operator& matrix, nb::handle x, nb::handle out,
                          double alpha, double beta, bool from_left) {
  const gossamer_type type = matrix.type();
  const std::int64_t element = type == GOSSAMER_F32 ? 4 : 8;
  const std::int64_t results = from_left ? matrix.cols() : matrix.rows();
  check_x(x, from_left, from_left ? matrix.rows() : matrix.cols());
  const plan& used = plan_for(matrix, self, from_left);

  product p{.op = matrix.operation(from_left), .alpha = alpha, .beta = beta};
  nb::object copy;  // of x, if it cannot be used as it is
  if (!has_type(as_array(x), type)) x = copy = converted(x, type);
  if (!describe(as_array(x), from_left, element, p.x)) {
    x = copy = made(PyArray_NewCopy(as_array(x), NPY_CORDER));
    describe(as_array(x), from_left, element, p.x);
  }

  const int dimensions = PyArray_NDIM(as_array(x));
  npy_intp shape[] = {results, p.x.cols};
  if (from_left && dimensions == 2) std::swap(shape[0], shape[1]);
  nb::object y;
  if (out.is_none()) {
    if (beta != 0) fail(GOSSAMER_INVALID_ARGUMENT, "beta is not 0, but there is no out to add to");
    const bool fortran = (p.x.order == GOSSAMER_COLUMN_MAJOR) != from_left;
    y = made(PyArray_EMPTY(dimensions, shape, numpy_type(type), fortran && dimensions == 2));
  } else {
    check_out(out, shape, dimensions, type);
    y = nb::borrow(out);
  }
  if (!describe(as_array(y), from_left, element, p.y))
    fail(GOSSAMER_INVALID_ARGUMENT, "out has strides " + text_of(y.attr("strides")) +
                                        ", which are those of no row-major or column-major matrix");
  p.vectors = is_contiguous_column(p.x) && is_contiguous_column(p.y);
  if (matrix.device() >= 0) matrix.context().attr("wait_for_update")();
  used.multiply(p);
  return y;
}

nb::object view_of(const void* data, std::int64_t size, gossamer_type type, nb::handle owner, bool writable) {
  npy_intp shape[] = {size};
  static constexpr double nothing = 0;  // NumPy would allocate memory for a null pointer
  const nb::object view = made(PyArray_New(&PyArray_Type, 1, shape, numpy_type(type), nullptr,
                                           const_cast<void*>(size == 0 ? &nothing : data), 0,
                                           writable ? NPY_ARRAY_CARRAY : NPY_ARRAY_CARRAY_RO, nullptr));
  owner.inc_ref();
  if (PyArray_SetBaseObject(as_array(view), owner.ptr()) < 0) throw nb::python_error();
  return view;
}

}  // namespace gossamer::python
