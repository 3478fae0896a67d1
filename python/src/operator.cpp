// SPDX-License-Identifier: BSD-3-Clause
#include "operator.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>

#include <pthread.h>

#include <array>
#include <map>
#include <mutex>

#include "errors.hpp"
#include "gil.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gossamer::python {

namespace {

/// All pairs by their numbers.
class numbered_pairs {
 public:
  void add(const std::shared_ptr<plan_pair>& pair) {
    const std::lock_guard guard(lock_);
    pair->number = ++last_;
    pairs_.emplace(last_, pair);
  }
  void lock() { lock_.lock(); }  // around fork()
  void unlock() { lock_.unlock(); }
  void remove(std::int64_t number) {
    const std::lock_guard guard(lock_);
    pairs_.erase(number);
  }
  std::shared_ptr<plan_pair> find(std::int64_t number) {
    const std::lock_guard guard(lock_);
    const auto found = pairs_.find(number);
    return found == pairs_.end() ? nullptr : found->second.lock();
  }

 private:
  std::mutex lock_;
  std::map<std::int64_t, std::weak_ptr<plan_pair>> pairs_;
  std::int64_t last_ = 0;
};

numbered_pairs& all_pairs() {
  static numbered_pairs* const all = [] {
    auto* const made = new numbered_pairs;  // XLA's threads may use it until the process ends
    pthread_atfork([] { all_pairs().lock(); }, [] { all_pairs().unlock(); }, [] { all_pairs().unlock(); });
    return made;
  }();
  return *all;
}

}  // namespace

std::shared_ptr<plan_pair> find_pair(std::int64_t number) {
  return all_pairs().find(number);
}

plan_pair::~plan_pair() {
  all_pairs().remove(number);
  const gil_held held;
  context.reset();
}

matrix_operator::matrix_operator(std::int64_t rows, std::int64_t cols, gossamer_type type, int device,
                                 nb::object context)
    : pair_(std::make_shared<plan_pair>()) {
  pair_->rows = rows;
  pair_->cols = cols;
  pair_->type = type;
  pair_->device = device;
  pair_->context = std::move(context);
  all_pairs().add(pair_);
}

void matrix_operator::set_plan(bool transposed, std::shared_ptr<plan> made) {
  const int at = transposed ? 1 : 0;
  pair_->owners[at] = std::move(made);
  pair_->plans[at].store(pair_->owners[at].get(), std::memory_order_release);
}

const plan& plan_for(const matrix_operator& matrix, nb::handle self, bool transposed) {
  const plan* found = matrix.find_plan(transposed);
  if (found == nullptr) [[unlikely]] {
    self.attr("_make_plan")(matrix.operation(transposed) == GOSSAMER_TRANSPOSED);
    found = matrix.find_plan(transposed);
  }
  return *found;
}

namespace {

PyObject* operator_type = nullptr;     // these two live as long as the interpreter
PyObject* foreign_multiply = nullptr;  // multiplies vectors that are no NumPy arrays

bool is_operator(PyObject* object) noexcept {
  return PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(operator_type)) != 0;
}

/// Throws if `__init__` has not run: `Matrix.__new__(Matrix)`.
const matrix_operator& operator_of(nb::handle object) {
  if (!nb::inst_ready(object)) [[unlikely]]
    fail_type("the matrix was not initialized");
  return *nb::inst_ptr<matrix_operator>(object);
}

nb::object multiply_any(nb::handle self, const matrix_operator& matrix, nb::handle x, nb::handle out,
                        double alpha, double beta, nb::handle stream, bool from_left) {
  if (is_numpy_array(x) && (out.is_none() || is_numpy_array(out)))
    return multiply_numpy(self, matrix, x, out, alpha, beta, from_left);
  return nb::borrow(foreign_multiply)(self, x, out, alpha, beta, stream, from_left);
}

// The slot of `left @ right`, where one of the two is an operator. An exception must not leave it.
PyObject* matmul(PyObject* left, PyObject* right) noexcept {
  const bool from_left = !is_operator(left);  // x @ G
  if (from_left != is_operator(right)) Py_RETURN_NOTIMPLEMENTED;
  const nb::handle self = from_left ? right : left;
  const nb::handle x = from_left ? left : right;
  try {
    return multiply_any(self, operator_of(self), x, nb::none(), 1, 0, nb::none(), from_left).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

const PyType_Slot slots[] = {{Py_nb_matrix_multiply, reinterpret_cast<void*>(&matmul)}, {0, nullptr}};

/// A dense matrix of `rows` rows at an address; `columns` < 0 is a contiguous vector.
gossamer_dense dense_at(std::uintptr_t data, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                        bool row_major, bool on_device) {
  return {.struct_size = sizeof(gossamer_dense),
          .order = row_major ? GOSSAMER_ROW_MAJOR : GOSSAMER_COLUMN_MAJOR,
          .memory = on_device ? GOSSAMER_DEVICE : GOSSAMER_HOST,
          .rows = rows,
          .cols = columns < 0 ? 1 : columns,
          .leading = leading,
          .data = reinterpret_cast<void*>(data)};
}

void multiply_at(nb::handle_t<matrix_operator> self, bool transposed, std::int64_t columns, double alpha,
                 std::uintptr_t x, std::int64_t x_leading, bool x_row_major, double beta, std::uintptr_t y,
                 std::int64_t y_leading, bool y_row_major, bool on_device, std::uintptr_t stream) {
  const matrix_operator& matrix = operator_of(self);
  const std::int64_t n = transposed ? matrix.rows() : matrix.cols();
  const std::int64_t m = transposed ? matrix.cols() : matrix.rows();
  plan_for(matrix, self, transposed)
      .multiply({.op = matrix.operation(transposed),
                 .alpha = alpha,
                 .beta = beta,
                 .x = dense_at(x, n, columns, x_leading, x_row_major, on_device),
                 .y = dense_at(y, m, columns, y_leading, y_row_major, on_device),
                 .vectors = columns < 0,
                 .stream = reinterpret_cast<void*>(stream)});
}

/// Addresses of vectors and numbers in the memory of x and y; 0 for parts that an epilogue lacks.
struct epilogue_addresses {
  std::uintptr_t z, scale, u, lower, upper, out, add;
  std::uintptr_t with[2], result[2];
  std::uintptr_t alpha, beta, gamma;
};

gossamer_epilogue epilogue_at(const epilogue_addresses& at, double gamma, double bounds_factor, bool outside,
                              double out_y_factor, double out_add_factor) {
  const auto vector = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
  const auto number = [](std::uintptr_t address) { return reinterpret_cast<double*>(address); };
  return {.struct_size = sizeof(gossamer_epilogue),
          .z = vector(at.z),
          .scale = vector(at.scale),
          .gamma = gamma,
          .u = vector(at.u),
          .lower = vector(at.lower),
          .upper = vector(at.upper),
          .bounds_factor = bounds_factor,
          .outside = outside ? 1 : 0,
          .out = reinterpret_cast<void*>(at.out),
          .out_y_factor = out_y_factor,
          .add = vector(at.add),
          .out_add_factor = out_add_factor,
          .dot_with = {vector(at.with[0]), vector(at.with[1])},
          .dot_result = {number(at.result[0]), number(at.result[1])},
          .alpha_at = vector(at.alpha),
          .beta_at = vector(at.beta),
          .gamma_at = vector(at.gamma),
          .bounds_factor_at = nullptr};
}

/// A product by contiguous vectors with an epilogue. `at`: the members of epilogue_addresses, in their order.
void finish_at(nb::handle_t<matrix_operator> self, bool transposed, double alpha, std::uintptr_t x,
               double beta, std::uintptr_t y, const std::array<std::uintptr_t, 14>& at, double gamma,
               double bounds_factor, bool outside, double out_y_factor, double out_add_factor, bool on_device,
               std::uintptr_t stream) {
  const matrix_operator& matrix = operator_of(self);
  const std::int64_t n = transposed ? matrix.rows() : matrix.cols();
  const std::int64_t m = transposed ? matrix.cols() : matrix.rows();
  const gossamer_epilogue e = epilogue_at({.z = at[0],
                                           .scale = at[1],
                                           .u = at[2],
                                           .lower = at[3],
                                           .upper = at[4],
                                           .out = at[5],
                                           .add = at[6],
                                           .with = {at[7], at[8]},
                                           .result = {at[9], at[10]},
                                           .alpha = at[11],
                                           .beta = at[12],
                                           .gamma = at[13]},
                                          gamma, bounds_factor, outside, out_y_factor, out_add_factor);
  plan_for(matrix, self, transposed)
      .multiply({.op = matrix.operation(transposed),
                 .alpha = alpha,
                 .beta = beta,
                 .x = dense_at(x, n, -1, 1, false, on_device),
                 .y = dense_at(y, m, -1, 1, false, on_device),
                 .vectors = true,
                 .stream = reinterpret_cast<void*>(stream),
                 .epilogue = &e});
}

/// y = alpha A x, or the product with the transpose, on contiguous vectors where the matrix is.
void multiply_vector_at(nb::handle_t<matrix_operator> self, bool transposed, double alpha, std::uintptr_t x,
                        std::uintptr_t y, std::uintptr_t stream) {
  multiply_at(self, transposed, -1, alpha, x, 1, false, 0, y, 1, false, operator_of(self).device() >= 0,
              stream);
}

}  // namespace

void bind_operator(nb::module_& module) {
  auto bound =
      nb::class_<matrix_operator>(module, "Operator", nb::type_slots(slots),
                                  "A matrix or its transpose, with plans for its products.")
          .def(nb::init<std::int64_t, std::int64_t, gossamer_type, int, nb::object>(), "rows"_a, "cols"_a,
               "value_type"_a, "device"_a, "context"_a)
          .def(nb::init<const matrix_operator&, bool>(), "other"_a, "transposed"_a)
          .def_prop_ro("_number", &matrix_operator::number, "The same for a matrix and its transpose.")
          .def_prop_ro("shape",
                       [](const matrix_operator& self) { return nb::make_tuple(self.rows(), self.cols()); })
          .def_prop_ro("_value_type", &matrix_operator::type)
          .def_prop_ro("_device", &matrix_operator::device)
          .def_prop_ro("_is_transposed", &matrix_operator::is_transposed)
          .def_prop_ro("_context", &matrix_operator::context)
          .def("_plan", &matrix_operator::share_plan, "transposed"_a,
               "The plan for products with A, or with its transpose; or None.")
          .def("_set_plan", &matrix_operator::set_plan, "transposed"_a, "plan"_a)
          .def("_multiply_at", &multiply_at)
          .def("_multiply_vector_at", &multiply_vector_at)
          .def("_finish_at", &finish_at)
          .def(
              "_multiply",
              [](nb::handle_t<matrix_operator> self, nb::handle x, nb::handle out, double alpha, double beta,
                 nb::handle stream, bool transposed) {
                return multiply_any(self, operator_of(self), x, out, alpha, beta, stream, transposed);
              },
              "x"_a, "out"_a.none(), "alpha"_a, "beta"_a, "stream"_a.none(), "from_left"_a);
  operator_type = bound.ptr();
  Py_INCREF(operator_type);
  module.def(
      "find_operator",
      [](std::int64_t number) {
        std::shared_ptr<plan_pair> found = find_pair(number);
        return found == nullptr ? nb::none() : nb::cast(matrix_operator(std::move(found)));
      },
      "number"_a, "The matrix with this number, not transposed; None if it was deleted.");
  module.def("set_foreign_multiply",
             [](nb::object function) { foreign_multiply = function.release().ptr(); });
}

}  // namespace gossamer::python
