# SPDX-License-Identifier: BSD-3-Clause
"""CuPy's conjugate gradients with a gossamer matrix, on a GPU. Needs CuPy 14: before, rtol was named tol."""

import cupy
import cupyx.scipy.sparse as sparse
from cupyx.scipy.sparse.linalg import cg

import gossamer

n = 100
line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")
A = sparse.kronsum(sparse.kronsum(line, line), line).tocsr()  # 7 points on a grid of n x n x n
G = gossamer.aslinearoperator(gossamer.matrix(A))

steps = 0


def count(_):
    global steps
    steps += 1


b = cupy.ones(n**3)
x, status = cg(G, b, rtol=1e-8, callback=count)
residual = float(cupy.linalg.norm(b - A @ x) / cupy.linalg.norm(b))
print(f"status {status}, residual below 1e-7: {residual < 1e-7}, more than 100 steps: {steps > 100}")
