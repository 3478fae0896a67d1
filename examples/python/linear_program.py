# SPDX-License-Identifier: BSD-3-Clause
"""A transport problem by the primal-dual hybrid gradient method (PDHG): min c x, A x = b, x >= 0.

Each step multiplies by A and by its transpose.
"""

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import linprog

import gossamer

plants, shops = 12, 20
random = np.random.default_rng(3)
cost = random.uniform(1, 5, plants * shops)
supply = np.full(plants, shops / plants)
A = sparse.vstack([sparse.kron(sparse.eye_array(plants), np.ones((1, shops))),
                   sparse.kron(np.ones((1, plants)), sparse.eye_array(shops))]).tocsr()
b = np.concatenate([supply, np.ones(shops)])
G = gossamer.matrix(A, operations="both", calls=100_000)

step = 0.99 / np.sqrt(plants + shops)  # of both variables; must be below 1 over the norm of A
x, y = np.zeros(A.shape[1]), np.zeros(A.shape[0])
for count in range(1, 100_001):
    new = np.maximum(0, x - step * (cost - y @ G))
    y += step * (b - G @ (2 * new - x))
    x = new
    if count % 100 == 0:
        gap = abs(cost @ x - b @ y) / (1 + abs(cost @ x))
        if max(gap, abs(G @ x - b).max()) < 1e-6:
            break
exact = linprog(cost, A_eq=A, b_eq=b).fun
print(f"cost {cost @ x:.4f}, by SciPy's linprog {exact:.4f}")
