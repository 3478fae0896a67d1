// SPDX-License-Identifier: BSD-3-Clause
// What a gossamer_plan and a gossamer_workspace hold.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "gossamer/gossamer.h"
#include "gossamer/plan.hpp"

struct gossamer_plan {
  std::shared_ptr<void> arrays;  ///< that the plan may refer to; the plan is destroyed first
  bool is_transposed;            ///< the plan is of the transpose, so products are exchanged
  std::variant<gossamer::plan<float>, gossamer::plan<double>> any;
  std::string description;  ///< for gossamer_describe()
  std::string options;      ///< for gossamer_plan_get_info()
};

struct gossamer_workspace {
  gossamer::workspace memory;
};
