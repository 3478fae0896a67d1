// SPDX-License-Identifier: BSD-3-Clause
// Everything that a program needs: matrices, plans, files, tuning, several devices.
#pragma once

#include "gossamer/error.hpp"
#include "gossamer/format_info.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/io.hpp"
#include "gossamer/machine.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/partition.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/progress.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/statistics.hpp"
#include "gossamer/timer.hpp"
#include "gossamer/tune.hpp"
#include "gossamer/types.hpp"
#include "gossamer/version.hpp"
