# SPDX-License-Identifier: BSD-3-Clause
"""Documents as `gossamer bench --json` writes them, with times that are made up."""

import copy
import random


def row(matrix, median, spread=0.002, **more):
    seconds = {"median": median, "min": median * (1 - 2 * spread), "max": median * (1 + 4 * spread), "count": 25,
               "low": median * (1 - spread), "high": median * (1 + spread), "spread": spread, "preempted": 0}
    result = {"matrix": matrix, "class": "fem", "rows": 10, "cols": 10, "nnz": 1000, "value": "f64", "device": "cpu",
              "format": "pattern_csr", "options": "kernel=thread", "peer": False, "status": "ok", "reason": "",
              "inspect_seconds": 3 * median, "seconds": seconds, "gflops": 1.0, "bytes": 12000, "bytes_per_nonzero": 12.0,
              "csr_equivalent_gbs": 20.0, "stream_fraction": 0.8, "vs_best_peer": None, "error_ratio": 0.2,
              "break_even_multiplies": None, "cache": "hot", "predicted_seconds": median, "latency_seconds": None,
              "values": "distinct", "source": "like", "requested": "", "default": True, "exceeds_llc": True, "blind_rows": 0, "vector_seconds": None}
    result.update(more)
    return result


def document(rows, **machine):
    return {"schema": 2, "commit": "abc1234",
            "machine": {"cpu": "a cpu", "threads": 2, "stream_gbs": 30.0, "gpu": None, "copy_gbs": 28.0, "isa": "avx2",
                        "llc_bytes": 1 << 25, "driver": None, "cuda": None, "peers": {}, **machine},
            "results": rows, "absent": []}


def plain(matrices=20, spread=0.002):
    return document([row(f"m{i}", 1e-5 * (i + 1), spread) for i in range(matrices)])


def scaled(old, factor, jitter=0.0, only=lambda row: True, seed=1):
    """The same document measured again: each time jittered, those of `only` multiplied too."""
    random.seed(seed)
    new = copy.deepcopy(old)
    for each in new["results"]:
        by = (factor if only(each) else 1.0) * (1 + random.uniform(-jitter, jitter))
        for name in ("median", "min", "max", "low", "high"):
            each["seconds"][name] *= by
    return new
