// SPDX-License-Identifier: BSD-3-Clause
// What a plan is behind the public class: one virtual call a product, then code that knows its format.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/fail.hpp"
#include "exec/cuda/device_buffer.hpp"
#include "exec/epilogue.hpp"
#include "exec/product.hpp"
#include "exec/target.hpp"
#include "gossamer/plan.hpp"

namespace gossamer::inline v0::plans {

class workspace_base {
 public:
  explicit workspace_base(std::uint64_t owner) noexcept : owner_(owner) {}
  virtual ~workspace_base() = default;
  workspace_base(const workspace_base&) = delete;
  workspace_base& operator=(const workspace_base&) = delete;
  [[nodiscard]] virtual std::int64_t bytes() const noexcept = 0;
  /// The id of the plan that made it. Not its address: another plan may come to live there.
  [[nodiscard]] std::uint64_t owner() const noexcept { return owner_; }

  /// Set while a host product uses the workspace.
  std::atomic_flag in_use = ATOMIC_FLAG_INIT;
  /// For columns of X and Y that are not contiguous. Taken by the first product that needs it.
  host_buffer<std::byte> column_room;
  exec::device_buffer<std::byte> device_column_room;
  /// For products with an epilogue, taken by the first that needs it: sums of dot products, and A x where y
  /// is still read. In device memory, room that was given out stays where it is.
  host_buffer<double> dot_room;
  host_buffer<std::byte> product_room;
  exec::device_buffer<double> device_dot_room;
  exec::device_buffer<std::byte> device_product_room;
  /// Held by a call of several steps, with an epilogue or with columns that are copied, while it allocates
  /// what they share and puts them into a stream. Lock it before `launching`.
  mutable std::mutex calling;
  /// Held while the kernels of one product are put into a stream.
  mutable std::mutex launching;

 private:
  std::uint64_t owner_;
};

/// What describe() prints and every plan knows.
struct plan_facts {
  std::string_view format;
  option_texts options;
  resource where;
  isa level = isa::baseline;
  int device_capability = 0;
  std::string_view offset_type;
  bool values_change = false;
  bool copy = false;
  reordering reorder = reordering::none;
  std::optional<std::int64_t> memory_limit = {};
  bool deterministic = true;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
};

template <class S>
class plan_base;

/// A product with an epilogue by a plan that has no kernels for it: the product, then a pass over the
/// vectors.
template <class S>
void multiply_then_finish(const plan_base<S>& base, const product<S>& p, const exec::row_epilogue<S>& e,
                          workspace_base& scratch);
template <class S>
void multiply_then_finish_on_device(const plan_base<S>& base, const product<S>& p,
                                    const exec::row_epilogue<S>& e, cuda_stream stream,
                                    workspace_base& scratch);

template <class S>
class plan_base {
 public:
  explicit plan_base(plan_facts facts) : facts_(std::move(facts)) {}
  virtual ~plan_base() = default;
  plan_base(const plan_base&) = delete;
  plan_base& operator=(const plan_base&) = delete;

  /// x and y of the product are host pointers; arguments are checked, the workspace is held.
  virtual void multiply_host(const product<S>& p, workspace_base& scratch) const = 0;
  /// x and y are device pointers.
  virtual void multiply_device(const product<S>& p, cuda_stream stream, workspace_base& scratch) const = 0;
  /// Both with an epilogue, whose vectors are where x and y are.
  virtual void multiply_host(const product<S>& p, const exec::row_epilogue<S>& e,
                             workspace_base& scratch) const {
    multiply_then_finish(*this, p, e, scratch);
  }
  virtual void multiply_device(const product<S>& p, const exec::row_epilogue<S>& e, cuda_stream stream,
                               workspace_base& scratch) const {
    multiply_then_finish_on_device(*this, p, e, stream, scratch);
  }
  /// Partial dot products that the product's kernel stores (formats::leaves_dot_parts). 0: none. It may
  /// change with the values.
  [[nodiscard]] virtual std::int64_t dot_parts() const { return 0; }
  /// The first two for contiguous columns of X and Y, at most columns_at_once() of them.
  virtual void multiply_columns_host(const columns_product<S>& p, workspace_base& scratch) const {
    for (std::int64_t j = 0; j < p.columns; ++j) multiply_host(p.column(j), scratch);
  }
  /// The same for X and Y whose rows are contiguous (x_next and y_next are 1). Returns how many leading
  /// columns it has multiplied; alpha is not 0.
  virtual std::int64_t multiply_rows_host(const columns_product<S>& /*p*/,
                                          workspace_base& /*scratch*/) const {
    return 0;
  }
  /// Columns that one pass over the matrix multiplies on the host.
  [[nodiscard]] virtual std::int64_t columns_at_once() const noexcept { return 1; }
  /// Y = alpha A X + beta Y with device pointers, several columns in one pass over the matrix. False: there
  /// is no such product, and nothing has been done.
  [[nodiscard]] virtual bool multiply_columns_device(const columns_product<S>& /*p*/, cuda_stream /*stream*/,
                                                     workspace_base& /*scratch*/) const {
    return false;
  }
  /// Whether multiply_rows_host() of a CPU, or multiply_columns_device() of a GPU, may read the matrix once
  /// for several columns.
  [[nodiscard]] virtual bool reads_once_for_columns() const noexcept { return false; }
  virtual void update_host(const matrix_t<S>* values) = 0;
  virtual void update_device(const matrix_t<S>* values, cuda_stream stream) = 0;
  [[nodiscard]] virtual csr_matrix<matrix_t<S>, std::int64_t> to_csr() const = 0;
  /// to[k] is what is stored of entry k's value, of a matrix with the structure that was inspected.
  virtual void stored_values(const std::int64_t* row_ptr, const matrix_t<S>* values,
                             matrix_t<S>* to) const = 0;
  [[nodiscard]] virtual std::optional<rounding_error> rounding() const { return rounding_; }
  [[nodiscard]] virtual std::unique_ptr<workspace_base> make_workspace() const = 0;
  [[nodiscard]] virtual std::int64_t bytes() const noexcept = 0;
  [[nodiscard]] virtual std::int64_t slots() const noexcept = 0;
  [[nodiscard]] virtual std::int64_t streamed_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::int64_t bus_bytes() const noexcept { return 0; }
  /// What the plan holds of that device's memory, vectors and scratch excluded.
  [[nodiscard]] virtual std::int64_t device_bytes(int /*device*/) const noexcept { return 0; }
  /// Whether update_host() encodes values again, for which it may refuse them or find no memory.
  [[nodiscard]] virtual bool may_refuse_values() const noexcept { return false; }
  /// True: update_host() and update_device() take values in the order of plan_request::permutation. False: in
  /// the order of the matrix that the plan was built of.
  [[nodiscard]] virtual bool takes_values_in_caller_order() const noexcept { return !may_refuse_values(); }
  /// With the times of the products by that workspace.
  [[nodiscard]] virtual std::vector<plan_part> parts(const workspace_base&) const { return {}; }

  /// The permutation of a reordered plan: row i of the stored matrix is row permutation()[i] of the caller's.
  /// Empty for other plans. Valid as long as the plan.
  [[nodiscard]] virtual std::span<const std::int32_t> permutation() const noexcept { return {}; }

  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] const plan_facts& facts() const noexcept { return facts_; }
  [[nodiscard]] workspace_base& own_workspace() const noexcept { return *own_; }

  /// Of the values that the plan has from now on.
  void note_rounding(const std::optional<rounding_error>& found) noexcept { rounding_ = found; }

  /// The last step of inspect: takes the plan's own scratch and stops the clock.
  void finish(std::chrono::steady_clock::time_point begin) {
    own_ = make_workspace();
    inspect_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  [[nodiscard]] double inspect_seconds() const noexcept { return inspect_seconds_; }

 private:
  static std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  std::uint64_t id_ = next_id();
  plan_facts facts_;
  std::optional<rounding_error> rounding_;
  std::unique_ptr<workspace_base> own_;
  double inspect_seconds_ = 0;
};

/// Throws cancelled where the callback says so.
inline void report(const progress_callback& callback, std::string_view stage, double fraction) {
  if (callback && !callback({.stage = stage, .fraction = fraction}))
    fail(errc::cancelled, "inspect: cancelled in stage {}", stage);
}

}  // namespace gossamer::inline v0::plans
