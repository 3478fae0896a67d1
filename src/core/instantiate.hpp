// SPDX-License-Identifier: BSD-3-Clause
// The types of matrices that templates are instantiated for. A source file defines GOSSAMER_INSTANCE(V, O) as
// its explicit instantiations for values V and offsets O, and undefines it after
// GOSSAMER_FOR_EACH_CSR(GOSSAMER_INSTANCE).
#pragma once

#include <cstdint>

#define GOSSAMER_FOR_EACH_CSR(instance)                                                      \
  instance(float, std::int32_t) instance(float, std::int64_t) instance(double, std::int32_t) \
      instance(double, std::int64_t)
