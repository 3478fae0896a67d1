// SPDX-License-Identifier: BSD-3-Clause
#include "plan.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <pthread.h>

#include <memory>
#include <set>

#include "errors.hpp"
#include "gil.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace gossamer::python {
namespace {

// A product of fewer entries takes a few microseconds at most.
constexpr std::int64_t min_entries_to_release_gil = 4096;

// Limits the workspaces that are kept. PyTorch's pool has 32 streams.
constexpr std::size_t max_streams = 64;

/// Lets Ctrl-C end a long call: the progress callback that asks Python for signals.
struct interruptible {
  gossamer_progress progress{sizeof(gossamer_progress), &interruptible::report, nullptr};

  static std::int32_t report(const char*, double, void*) noexcept {
    const gil_held held;
    return PyErr_CheckSignals() == 0 ? 0 : 1;
  }
};

/// Throws the exception of a signal handler if it ended the call, else that of `status`.
void check_interruptible(gossamer_status status) {
  if (status == GOSSAMER_CANCELLED && PyErr_Occurred() != nullptr) throw nb::python_error();
  check(status);
}

}  // namespace

namespace {

/// Every plan, so that a forked child can renew its locks.
struct every_plan {
  std::mutex lock;
  std::set<plan*> plans;
};

every_plan& all_plans() {
  static every_plan* const all = [] {
    auto* const made = new every_plan;  // threads may use it until the process ends
    pthread_atfork([] { all_plans().lock.lock(); }, [] { all_plans().lock.unlock(); },
                   [] {
                     for (plan* each : all_plans().plans) each->renew_locks();
                     all_plans().lock.unlock();
                   });
    return made;
  }();
  return *all;
}

}  // namespace

plan::plan(gossamer_plan* handle, nb::object owner) : handle_(handle), owner_(std::move(owner)) {
  const gossamer_plan_info facts = info();
  nnz_ = facts.nnz;
  on_cpu_ = facts.device < 0;
  const std::lock_guard guard(all_plans().lock);
  all_plans().plans.insert(this);
}

void plan::renew_locks() noexcept {
  std::construct_at(&lock_);
  std::construct_at(&spare_lock_);
  std::construct_at(&streams_lock_);
}

plan::~plan() {
  {
    const std::lock_guard guard(all_plans().lock);
    all_plans().plans.erase(this);
  }
  gossamer_plan_destroy(handle_);
  const gil_held held;
  owner_.reset();
}

gossamer_plan_info plan::info() const {
  gossamer_plan_info result{};
  result.struct_size = sizeof result;
  check(gossamer_plan_get_info(handle_, &result));
  return result;
}

const char* plan::describe() const {
  const char* text = nullptr;
  check(gossamer_describe(handle_, &text));
  return text;
}

arrays plan::matrix() const {
  gossamer_matrix* stored = nullptr;
  gossamer_status status = GOSSAMER_SUCCESS;
  {
    const gil_released released;
    const std::shared_lock shared(lock_);
    status = gossamer_plan_matrix(handle_, &stored);
  }
  check(status);
  return arrays(stored);
}

const std::int32_t* plan::permutation() const {
  const std::int32_t* order = nullptr;
  check(gossamer_plan_permutation(handle_, &order));
  return order;
}

void plan::update(std::uintptr_t values, bool on_device, std::uintptr_t stream) {
  gossamer_status status = GOSSAMER_SUCCESS;
  {
    const gil_released released;
    const std::unique_lock alone(lock_);
    status =
        gossamer_update_values(handle_, reinterpret_cast<const void*>(values),
                               on_device ? GOSSAMER_DEVICE : GOSSAMER_HOST, reinterpret_cast<void*>(stream));
  }
  check(status);
}

gossamer_status plan::take_workspace(workspace& taken) const {
  {
    const std::lock_guard guard(spare_lock_);
    if (!spare_.empty()) {
      taken = std::move(spare_.back());
      spare_.pop_back();
      return GOSSAMER_SUCCESS;
    }
  }
  gossamer_workspace* made = nullptr;
  const gossamer_status status = gossamer_workspace_create(&made, handle_);
  taken.reset(made);
  return status;
}

gossamer_status plan::multiply_with_epilogue(const product& p, gossamer_workspace* scratch) const {
  return gossamer_multiply_epilogue(handle_, p.op, p.alpha, p.x.data, p.beta, p.y.data, p.epilogue,
                                    p.x.memory, p.stream, scratch);
}

gossamer_status plan::multiply_on_host(const product& p) const {
  if (!own_workspace_is_taken_.test_and_set(std::memory_order_acquire)) {
    const gossamer_status status =
        p.epilogue != nullptr ? multiply_with_epilogue(p, nullptr)
        : p.vectors           ? gossamer_multiply(handle_, p.op, p.alpha, p.x.data, p.beta, p.y.data)
                    : gossamer_multiply_dense(handle_, p.op, p.alpha, &p.x, p.beta, &p.y, nullptr, nullptr);
    own_workspace_is_taken_.clear(std::memory_order_release);
    return status;
  }
  workspace taken;
  if (const gossamer_status status = take_workspace(taken); status != GOSSAMER_SUCCESS) return status;
  const gossamer_status status =
      p.epilogue != nullptr
          ? multiply_with_epilogue(p, taken.get())
          : gossamer_multiply_dense(handle_, p.op, p.alpha, &p.x, p.beta, &p.y, nullptr, taken.get());
  const std::lock_guard guard(spare_lock_);
  spare_.push_back(std::move(taken));
  return status;
}

gossamer_status plan::find_workspace(void* stream, gossamer_workspace*& found) const {
  found = nullptr;  // the plan's own, for the default stream
  if (stream == nullptr) return GOSSAMER_SUCCESS;
  std::int32_t captured = 0;
  std::uint64_t id = 0;
  if (const gossamer_status status = gossamer_stream_id(stream, &captured, &id); status != GOSSAMER_SUCCESS)
    return status;
  if (captured == 0 && streams_.size() == max_streams && !streams_.contains(id))
    streams_.clear();  // waits for their products
  workspace& kept = captured != 0 ? graphs_[{id, stream}] : streams_[id];
  if (kept == nullptr) {
    gossamer_workspace* made = nullptr;
    if (const gossamer_status status = gossamer_workspace_create(&made, handle_); status != GOSSAMER_SUCCESS)
      return status;
    kept.reset(made);
  }
  found = kept.get();
  return GOSSAMER_SUCCESS;
}

gossamer_status plan::multiply_on_device(const product& p) const {
  const std::lock_guard guard(streams_lock_);  // the call only launches kernels
  gossamer_workspace* scratch = nullptr;
  if (const gossamer_status status = find_workspace(p.stream, scratch); status != GOSSAMER_SUCCESS)
    return status;
  if (p.epilogue != nullptr) return multiply_with_epilogue(p, scratch);
  if (p.vectors)
    return gossamer_multiply_device(handle_, p.op, p.alpha, p.x.data, p.beta, p.y.data, p.stream, scratch);
  return gossamer_multiply_dense(handle_, p.op, p.alpha, &p.x, p.beta, &p.y, p.stream, scratch);
}

gossamer_status plan::multiply_unlocked(const product& p) const {
  return p.x.memory == GOSSAMER_DEVICE ? multiply_on_device(p) : multiply_on_host(p);
}

void plan::multiply(const product& p) const {
  if (on_cpu_ && nnz_ * p.x.cols < min_entries_to_release_gil) {
    const std::shared_lock shared(lock_, std::try_to_lock);
    if (shared.owns_lock()) {
      check(multiply_unlocked(p));
      return;
    }
  }
  gossamer_status status = GOSSAMER_SUCCESS;
  {
    const gil_released released;
    status = multiply_without_gil(p);
  }
  check(status);
}

gossamer_status plan::multiply_without_gil(const product& p) const {
  const std::shared_lock shared(lock_);
  return multiply_unlocked(p);
}

namespace {

std::shared_ptr<plan> inspect(const arrays& from, const std::string& where, const std::string& options,
                              nb::object owner) {
  gossamer_plan* handle = nullptr;
  gossamer_status status = GOSSAMER_SUCCESS;
  const interruptible interrupt;
  {
    const gil_released released;
    status = gossamer_inspect(&handle, from.handle(), where.c_str(), options.c_str(), &interrupt.progress);
  }
  check_interruptible(status);
  return std::make_shared<plan>(handle, std::move(owner));
}

std::shared_ptr<plan> inspect_like(const arrays& from, const std::string& description, nb::object owner) {
  gossamer_plan* handle = nullptr;
  gossamer_status status = GOSSAMER_SUCCESS;
  {
    const gil_released released;
    status = gossamer_inspect_like(&handle, from.handle(), description.c_str());
  }
  check(status);
  return std::make_shared<plan>(handle, std::move(owner));
}

std::string tune(const arrays& from, const std::string& where, const std::string& options) {
  const char* setting = nullptr;
  gossamer_status status = GOSSAMER_SUCCESS;
  const interruptible interrupt;
  {
    const gil_released released;
    status = gossamer_tune(&setting, from.handle(), where.c_str(), options.c_str(), &interrupt.progress);
  }
  check_interruptible(status);
  return setting;
}

nb::dict info_dict(const plan& of) {
  const gossamer_plan_info facts = of.info();
  nb::dict result;
  result["rows"] = facts.rows;
  result["cols"] = facts.cols;
  result["nnz"] = facts.nnz;
  result["value_type"] = facts.value_type;
  result["format"] = facts.format;
  result["options"] = facts.options;
  result["device"] = facts.device;
  result["bytes"] = facts.bytes;
  result["streamed_bytes"] = facts.streamed_bytes;
  result["inspect_seconds"] = facts.inspect_seconds;
  result["forward"] = facts.forward != 0;
  result["transposed"] = facts.transposed != 0;
  result["symmetric"] = facts.symmetric != 0;
  result["reencodes"] = facts.reencodes != 0;
  return result;
}

/// A read-only NumPy array that refers to the plan, or None.
nb::object permutation_of(nb::handle_t<plan> self) {
  const auto& of = nb::cast<const plan&>(self);
  const std::int32_t* const order = of.permutation();
  return order == nullptr ? nb::none() : view_of(order, of.info().rows, GOSSAMER_I32, self, false);
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<plan>(module, "Plan", "A matrix prepared for products.")
      .def("update", &plan::update, "values"_a, "on_device"_a, "stream"_a, "New values, at this address.")
      .def("info", &info_dict, "What gossamer_plan_get_info() returns, as a dict.")
      .def("describe", &plan::describe, "The JSON text for inspect_like().")
      .def("permutation", &permutation_of, "The order of a reordered plan, or None.")
      .def("matrix", &plan::matrix, "The stored matrix, in arrays of its own.");
  module.def("inspect", &inspect, "arrays"_a, "where"_a, "options"_a, "owner"_a.none());
  module.def("inspect_like", &inspect_like, "arrays"_a, "description"_a, "owner"_a.none());
  module.def("tune", &tune, "arrays"_a, "where"_a, "options"_a);
}

}  // namespace gossamer::python
