// SPDX-License-Identifier: BSD-3-Clause
// What every call of a product does first: finds its plan and its workspace, and holds the latter.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "core/out_of_memory.hpp"
#include "plans/plan_base.hpp"

namespace gossamer::inline v0::plans {

/// Holds a workspace for one host product.
class hold {
 public:
  hold(workspace_base& scratch, std::string_view call) : scratch_(scratch) {
    if (scratch.in_use.test_and_set(std::memory_order_acquire))
      fail(errc::busy, "{}: the workspace is in use by another product; make one for each thread", call);
  }
  ~hold() { scratch_.in_use.clear(std::memory_order_release); }
  hold(const hold&) = delete;
  hold& operator=(const hold&) = delete;

 private:
  workspace_base& scratch_;
};

/// A call of the user's, for messages: what x and y must have as many elements as the matrix has.
struct call_names {
  std::string_view call;
  std::string_view x_has;
  std::string_view y_has;
};
inline constexpr call_names forward_call{"multiply", "columns", "rows"};
inline constexpr call_names transposed_call{"multiply_transposed", "rows", "columns"};

/// body(), a product of a plan. Messages of plans begin with "multiply: ", whatever the call is; puts the
/// call's name there.
template <class Body>
void naming_call(const call_names& names, Body&& body) {
  try {
    naming_out_of_memory(names.call, std::forward<Body>(body));
  } catch (const error& problem) {
    const std::string_view text = problem.what();
    if (names.call == forward_call.call || !text.starts_with("multiply: ")) throw;
    fail(problem.code(), "{}{}", names.call, text.substr(forward_call.call.size()));
  }
}

/// A workspace that may be used with the plan of that id.
inline workspace_base& usable(const std::unique_ptr<workspace_base>& scratch, std::uint64_t plan,
                              const call_names& names) {
  if (scratch == nullptr)
    fail(errc::invalid_argument, "{}: the workspace was moved from, or made by another plan", names.call);
  if (scratch->owner() != plan)
    fail(errc::invalid_argument, "{}: the workspace was made by another plan", names.call);
  return *scratch;
}

/// Throws unsupported unless `has`: whether the plan has the product.
inline void require(bool has, const call_names& names, operation_set operations) {
  if (!has)
    fail(errc::unsupported, "{}: the plan was inspected with operations = {}", names.call, name(operations));
}

}  // namespace gossamer::inline v0::plans
