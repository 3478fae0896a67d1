// SPDX-License-Identifier: BSD-3-Clause
// Everything a program needs: matrices, plans, files, generators.
#pragma once

#include "gossamer/coo_view.hpp"
#include "gossamer/csr_matrix.hpp"
#include "gossamer/csr_view.hpp"
#include "gossamer/diagonal_blocks.hpp"
#include "gossamer/error.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/generate.hpp"
#include "gossamer/matrix_catalog.hpp"
#include "gossamer/matrix_market.hpp"
#include "gossamer/matrix_sets.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/partition.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/span.hpp"
#include "gossamer/statistics.hpp"
#include "gossamer/stream.hpp"
#include "gossamer/tune.hpp"
#include "gossamer/validate.hpp"
#include "gossamer/version.hpp"
