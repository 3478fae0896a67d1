# SPDX-License-Identifier: BSD-3-Clause
"""Settings of all tests. Tests that need a library or a GPU that is not there are skipped with the reason."""

import os

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # tests run next to each other


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs a CUDA device and a build with CUDA")


def pytest_collection_modifyitems(items):
    import gossamer

    if gossamer.cuda_device_count() > 0:
        return
    skip = pytest.mark.skip(reason="no usable GPU, or a build without CUDA")
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(skip)
