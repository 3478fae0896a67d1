# SPDX-License-Identifier: BSD-3-Clause
"""PageRank of a random directed graph by power iteration."""

import numpy as np
import scipy.sparse as sparse

import gossamer

n, damping = 10_000, 0.85
random = np.random.default_rng(7)
tails = random.integers(n, size=8 * n)
heads = (n * random.random(8 * n) ** 3).astype(int)  # few pages have most of the links
links = sparse.coo_array((np.ones(8 * n), (heads, tails)), shape=(n, n)).tocsr()
out = links.sum(axis=0)
weights = links @ sparse.diags_array(np.divide(1, out, out=np.zeros(n), where=out > 0))
G = gossamer.matrix(weights.tocsr(), calls=100)

rank = np.full(n, 1 / n)
for step in range(1, 200):
    new = G @ rank
    new *= damping
    new += (1 - new.sum()) / n  # random jumps, and the rank of pages without links
    change = abs(new - rank).sum()
    rank = new
    if change < 1e-10:
        break
print(f"{step} steps, first page {rank.argmax()}, sum {rank.sum():.6f}")
