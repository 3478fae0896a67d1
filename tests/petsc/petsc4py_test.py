# SPDX-License-Identifier: BSD-3-Clause
"""A solve from Python, with Gossamer loaded by an option alone: petsc4py_test.py libgossamer_petsc.so"""
import sys
import unittest

plugin = sys.argv.pop()
try:
    import numpy
    import petsc4py

    petsc4py.init(["petsc4py_test", "-dll_append", plugin])
    from petsc4py import PETSc
except ImportError as problem:
    PETSC_MISSING = str(problem)
else:
    PETSC_MISSING = None

SIDE = 12


def laplacian(matrix_type):
    """Of five points on a square, as an assembled matrix."""
    a = PETSc.Mat().create()
    a.setSizes(SIDE * SIDE)
    a.setType(matrix_type)
    a.setPreallocationNNZ(5)
    begin, end = a.getOwnershipRange()
    for i in range(begin, end):
        row, column = divmod(i, SIDE)
        a.setValue(i, i, 4.5)
        for other_row, other_column in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= other_row < SIDE and 0 <= other_column < SIDE:
                a.setValue(i, other_row * SIDE + other_column, -1)
    a.assemble()
    return a


def solve(a):
    """Conjugate gradients with Jacobi's preconditioner: the number of iterations, and A x - b, b being ones."""
    x, b = a.createVecs()
    b.set(1)
    solver = PETSc.KSP().create()
    solver.setOperators(a)
    solver.setType("cg")
    solver.getPC().setType("jacobi")
    solver.setTolerances(rtol=1e-10)
    solver.solve(b, x)
    return solver.getIterationNumber(), (a * x - b).norm()


def around_arrays(values):
    """A diagonal matrix of this process, around arrays of NumPy's."""
    size = len(values)
    rows = numpy.arange(size + 1, dtype=PETSc.IntType)
    columns = numpy.arange(size, dtype=PETSc.IntType)
    a = PETSc.Mat().createAIJWithArrays((size, size), (rows, columns, values), comm=PETSc.COMM_SELF)
    return a.convert("gossamer")


def times_ones(a):
    x, y = a.createVecs()
    x.set(1)
    a.mult(x, y)
    return list(y.array)


@unittest.skipIf(PETSC_MISSING, f"petsc4py cannot be loaded: {PETSC_MISSING}")
class FromPython(unittest.TestCase):
    def test_a_solve(self):
        ours = laplacian("gossamer")
        self.assertIn(ours.getType(), ("seqaijgossamer", "mpiaijgossamer"))
        iterations, error = solve(ours)
        self.assertEqual(iterations, solve(laplacian("aij"))[0])
        self.assertLess(error, 1e-9 * SIDE)

    def test_new_values(self):
        a = laplacian("gossamer")
        x, y = a.createVecs()
        x.set(1)
        a.mult(x, y)
        once = y.sum()
        a.scale(2)
        a.mult(x, y)
        self.assertEqual(y.sum(), 2 * once)

    def test_new_values_in_arrays_of_numpy(self):
        values = numpy.array([1.5, 2.5], dtype=PETSc.ScalarType)
        a = around_arrays(values)
        self.assertEqual(times_ones(a), [1.5, 2.5])
        values *= 10
        self.assertEqual(times_ones(a), [15, 25])

    def test_copied_arrays_of_numpy_are_read_again_after_a_state_increase(self):
        options = PETSc.Options()
        options["mat_gossamer_copy_user_arrays"] = True
        values = numpy.array([1.5, 2.5], dtype=PETSc.ScalarType)
        a = around_arrays(values)
        self.assertEqual(times_ones(a), [1.5, 2.5])
        del options["mat_gossamer_copy_user_arrays"]
        values *= 10
        a.stateIncrease()
        self.assertEqual(times_ones(a), [15, 25])

    def test_arrays_of_a_matrix_are_copies(self):
        a = laplacian("gossamer")
        before = times_ones(a)
        rows, columns, values = a.getValuesCSR()
        values *= 3
        self.assertEqual(times_ones(a), before)
        a.setValuesCSR(rows, columns, values)
        a.assemble()
        self.assertEqual(times_ones(a), [3 * each for each in before])

    def test_conversion_both_ways(self):
        a = laplacian("aij")
        b = a.convert("gossamer").convert("aij")
        self.assertTrue(a.equal(b))

    def test_a_wrong_option_is_an_exception(self):
        options = PETSc.Options()
        options["mat_gossamer_format"] = "brcc"
        PETSc.Sys.pushErrorHandler("ignore")
        try:
            with self.assertRaises(PETSc.Error):
                laplacian("gossamer")
        finally:
            PETSc.Sys.popErrorHandler()
            del options["mat_gossamer_format"]


if __name__ == "__main__":
    unittest.main(verbosity=2)
