# SPDX-License-Identifier: BSD-3-Clause
"""Generated linear programs: minimize c x with lb <= A x <= ub and lower <= x <= upper.

Each function makes one kind of program from its sizes and a seed. All have a feasible point and a bounded
objective by construction.
"""

import dataclasses

import numpy as np
import scipy.sparse as sp


@dataclasses.dataclass
class Program:
    """Arrays of a linear program; A is a csr_array."""

    name: str
    c: np.ndarray
    A: sp.csr_array
    lb: np.ndarray
    ub: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def transport(plants, shops, seed=1):
    """Ship from plants to shops at least cost. Rows: supplies at most, demands at least."""
    random = np.random.default_rng(seed)
    places = random.uniform(0, 1, (plants + shops, 2))
    distance = np.linalg.norm(places[:plants, None] - places[None, plants:], axis=2)
    demand = random.uniform(1, 10, shops)
    supply = random.uniform(1, 10, plants)
    supply *= 1.2 * demand.sum() / supply.sum()
    A = sp.vstack([sp.kron(sp.eye_array(plants), np.ones((1, shops))),
                   sp.kron(np.ones((1, plants)), sp.eye_array(shops))]).tocsr()
    n = plants * shops
    return Program("transport", 1 + 10 * distance.ravel(), A,
                   np.concatenate([np.full(plants, -np.inf), demand]),
                   np.concatenate([supply, np.full(shops, np.inf)]), np.zeros(n), np.full(n, np.inf))


def multicommodity(nodes, arcs, commodities, seed=2):
    """Flows of several commodities over one network. Rows: balance at each node, capacity of each arc."""
    random = np.random.default_rng(seed)
    tail = np.concatenate([np.arange(nodes), random.integers(0, nodes, arcs - nodes)])
    head = np.concatenate([np.roll(np.arange(nodes), -1), random.integers(0, nodes, arcs - nodes)])
    loop = tail == head
    head[loop] = (head[loop] + 1) % nodes
    number = np.arange(arcs)
    balance = sp.coo_array((np.r_[np.ones(arcs), -np.ones(arcs)], (np.r_[tail, head], np.r_[number, number])),
                           (nodes, arcs))
    supplies = []
    load = np.zeros(arcs)
    for _ in range(commodities):  # one source and one sink each; the flow along the ring is feasible
        source, sink = random.choice(nodes, 2, replace=False)
        amount = random.uniform(1, 5)
        supply = np.zeros(nodes)
        supply[source], supply[sink] = amount, -amount
        supplies.append(supply)
        load[:nodes][(np.arange(nodes) - source) % nodes < (sink - source) % nodes] += amount
    capacity = np.maximum(load * 1.1, random.uniform(1, 10, arcs))
    A = sp.vstack([sp.kron(sp.eye_array(commodities), balance),
                   sp.kron(np.ones((1, commodities)), sp.eye_array(arcs))]).tocsr()
    cost = np.tile(random.uniform(1, 10, arcs), commodities) * random.uniform(0.8, 1.2, arcs * commodities)
    supply = np.concatenate(supplies)
    n = arcs * commodities
    return Program("multicommodity", cost, A, np.concatenate([supply, np.full(arcs, -np.inf)]),
                   np.concatenate([supply, capacity]), np.zeros(n), np.full(n, np.inf))


def _random_matrix(rows, cols, a_row, random):
    columns = random.integers(0, cols, (rows, a_row))
    values = random.uniform(0.1, 1, (rows, a_row))
    A = sp.coo_array((values.ravel(), (np.repeat(np.arange(rows), a_row), columns.ravel())), (rows, cols)).tocsr()
    A.sum_duplicates()
    return A


def packing(rows, cols, a_row=8, seed=3):
    """Maximize a value under random packing rows, A x <= 1, and covering rows, B x >= 1; 0 <= x <= 1."""
    random = np.random.default_rng(seed)
    A = _random_matrix(rows, cols, a_row, random)
    B = _random_matrix(max(rows // 4, 1), cols, 3 * a_row, random)
    inside = random.uniform(0.05, 0.2, cols)  # a feasible point
    limit, cover = A @ inside * random.uniform(1, 3, rows), B @ inside * random.uniform(0.2, 1, B.shape[0])
    return Program("packing", -random.uniform(0.5, 1.5, cols), sp.vstack([A, B]).tocsr(),
                   np.concatenate([np.full(rows, -np.inf), cover]),
                   np.concatenate([limit, np.full(B.shape[0], np.inf)]), np.zeros(cols), np.ones(cols))


def wide(rows, cols, a_column=4, seed=4):
    """Many more variables than rows: A x = b with x >= 0, as in column generation."""
    random = np.random.default_rng(seed)
    A = _random_matrix(cols, rows, a_column, random).T.tocsr()
    point = random.uniform(0, 1, cols) * (random.random(cols) < 0.05)
    b = A @ point
    multipliers = random.normal(0, 1, rows)
    cost = A.T @ multipliers + random.exponential(1, cols)  # so the dual program has a feasible point
    return Program("wide", cost, A, b, b, np.zeros(cols), np.full(cols, np.inf))


def tall(rows, cols, a_row=6, seed=5):
    """Many more rows than variables: a least maximal deviation |B z - d| <= t, with z free."""
    random = np.random.default_rng(seed)
    half = rows // 2
    B = _random_matrix(half, cols - 1, a_row, random)
    B.data *= random.choice([-1, 1], B.nnz)
    d = B @ random.normal(0, 1, cols - 1) + 0.1 * random.uniform(-1, 1, half)
    ones = sp.csr_array(np.ones((half, 1)))
    A = sp.vstack([sp.hstack([B, -ones]), sp.hstack([B, ones])]).tocsr()
    c = np.zeros(cols)
    c[-1] = 1
    return Program("tall", c, A, np.concatenate([np.full(half, -np.inf), d]),
                   np.concatenate([d, np.full(half, np.inf)]),
                   np.concatenate([np.full(cols - 1, -np.inf), [0]]), np.full(cols, np.inf))


def small():
    """The five programs in a size for tests."""
    return [transport(12, 20), multicommodity(12, 40, 5), packing(60, 50), wide(20, 200), tall(200, 12)]


def medium():
    """In a size that a CPU solves in seconds."""
    return [transport(60, 120), multicommodity(100, 500, 20), packing(4000, 3000), wide(400, 20_000), tall(20_000, 200)]


def large():
    """In a size for GPUs: a million entries or more each."""
    return [transport(800, 1500), multicommodity(2000, 12_000, 60), packing(200_000, 150_000), wide(8000, 400_000),
            tall(400_000, 4000)]
