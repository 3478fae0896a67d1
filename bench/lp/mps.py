# SPDX-License-Identifier: BSD-3-Clause
"""Linear programs from and to MPS files, by HiGHS's reader and writer (the package highspy)."""

import highspy
import numpy as np
import scipy.sparse as sp

from programs import Program

INFINITE = 1e20  # at least as large is no bound, in HiGHS


def quiet_highs():
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    return highs


def to_highs(program):
    """The program in a new solver of HiGHS."""
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = program.A.shape
    lp.col_cost_ = program.c
    lp.col_lower_, lp.col_upper_ = program.lower, program.upper
    lp.row_lower_, lp.row_upper_ = program.lb, program.ub
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.num_row_, lp.a_matrix_.num_col_ = program.A.shape
    lp.a_matrix_.start_ = program.A.indptr.astype("int32")
    lp.a_matrix_.index_ = program.A.indices.astype("int32")
    lp.a_matrix_.value_ = program.A.data
    lp.model_name_ = program.name
    highs = quiet_highs()
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise ValueError(f"HiGHS refuses the program {program.name}")
    return highs


def read(file):
    """The program of an MPS file, also a compressed one; integer variables become continuous. To maximize is to
    minimize -c x."""
    highs = quiet_highs()
    if highs.readModel(str(file)) == highspy.HighsStatus.kError:
        raise ValueError(f"{file}: HiGHS cannot read it")
    lp = highs.getLp()
    matrix = lp.a_matrix_
    parts = tuple(np.array(part) for part in (matrix.value_, matrix.index_, matrix.start_))
    shape = (lp.num_row_, lp.num_col_)
    is_rowwise = matrix.format_ == highspy.MatrixFormat.kRowwise
    A = (sp.csr_array if is_rowwise else sp.csc_array)(parts, shape=shape).tocsr()
    sense = -1 if lp.sense_ == highspy.ObjSense.kMaximize else 1
    without_bounds = lambda values: np.where(np.abs(values) >= INFINITE, np.copysign(np.inf, values), values)
    bounds = (without_bounds(np.array(side)) for side in (lp.row_lower_, lp.row_upper_, lp.col_lower_, lp.col_upper_))
    name = lp.model_name_ or str(file).rsplit("/", 1)[-1].split(".")[0]
    return Program(name, sense * np.array(lp.col_cost_), A, *bounds)


def write(program, file):
    """Writes the program to an MPS file."""
    if to_highs(program).writeModel(str(file)) == highspy.HighsStatus.kError:
        raise OSError(f"{file}: HiGHS cannot write it")
