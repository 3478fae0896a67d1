# SPDX-License-Identifier: BSD-3-Clause
"""The largest eigenvalues of a Laplacian, and the largest singular values of a rectangular matrix, by SciPy.

gossamer.aslinearoperator() makes a LinearOperator for SciPy's solvers: nothing else changes.
"""

import numpy as np
import scipy.sparse as sparse
from scipy.sparse.linalg import eigsh, svds

import gossamer

n = 60
line = sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
A = sparse.kronsum(line, line, format="csr")  # 5 points on a grid of n x n
G = gossamer.aslinearoperator(gossamer.matrix(A))

largest = eigsh(G, k=4, which="LA", return_eigenvectors=False, tol=1e-10, v0=np.ones(n * n))
exact = 4 + 4 * np.cos(np.pi / (n + 1))
print(f"largest eigenvalue {largest.max():.6f}, exact {exact:.6f}")

B = sparse.random_array((400, 300), density=0.05, rng=np.random.default_rng(1), format="csr")
H = gossamer.aslinearoperator(gossamer.matrix(B, operations="both"))
values = svds(H, k=3, return_singular_vectors=False, v0=np.ones(300))
print(f"largest singular value {values.max():.6f}, of the dense matrix {np.linalg.norm(B.toarray(), 2):.6f}")
