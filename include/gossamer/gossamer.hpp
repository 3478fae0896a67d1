// SPDX-License-Identifier: BSD-3-Clause
// Includes all public headers: matrices, plans, files, tuning, several devices.
#pragma once

/// @namespace gossamer
/// Sparse matrix-vector products on CPUs and CUDA GPUs.
///
/// - inspect() makes a plan of a matrix (gossamer/plan.hpp). The plan multiplies the matrix by vectors.
/// - csr_view and coo_view refer to a program's arrays; read_matrix_market() reads a file.
/// - tune() searches for the fastest format. A hybrid plan uses several resources.
/// - Functions that fail throw gossamer::error. "Throws NAME" means: with the code errc::NAME.
/// - Functions are synchronous unless their comment says "asynchronous".
/// - docs/GLOSSARY.md explains the terms.

#include "gossamer/epilogue.hpp"
#include "gossamer/error.hpp"
#include "gossamer/format_info.hpp"
#include "gossamer/formats.hpp"
#include "gossamer/hybrid.hpp"
#include "gossamer/io.hpp"
#include "gossamer/linear_program.hpp"
#include "gossamer/machine.hpp"
#include "gossamer/matrix.hpp"
#include "gossamer/memory.hpp"
#include "gossamer/partition.hpp"
#include "gossamer/plan.hpp"
#include "gossamer/progress.hpp"
#include "gossamer/reorder.hpp"
#include "gossamer/resource.hpp"
#include "gossamer/solve.hpp"
#include "gossamer/statistics.hpp"
#include "gossamer/timer.hpp"
#include "gossamer/tune.hpp"
#include "gossamer/types.hpp"
#include "gossamer/version.hpp"
