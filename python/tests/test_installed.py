# SPDX-License-Identifier: BSD-3-Clause
"""What an installed package has besides Python files: the command-line tool, headers and the CMake package."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gossamer

PACKAGE = Path(gossamer.__file__).parent
pytestmark = pytest.mark.skipif(not (PACKAGE / "bin").exists(), reason="the package is not installed")


def test_the_tool(tmp_path):
    tool = Path(sys.executable).parent / "gossamer"
    formats = subprocess.run([tool, "formats"], check=True, capture_output=True, text=True).stdout
    assert all(name in formats for name in gossamer.formats())
    failed = subprocess.run([tool, "info", tmp_path / "missing.mtx"], capture_output=True, text=True)
    assert failed.returncode != 0 and "missing.mtx" in failed.stderr


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed")
def test_cmake_finds_the_library(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\n"
        "project(user C)\n"
        "find_package(gossamer CONFIG REQUIRED)\n"
        "add_executable(user main.c)\n"
        "target_link_libraries(user PRIVATE gossamer::gossamer)\n"
    )
    (tmp_path / "main.c").write_text(
        "#include <gossamer/gossamer.h>\n#include <stdio.h>\n"
        "int main(void) { printf(\"%d\\n\", gossamer_version()); return 0; }\n"
    )
    build = tmp_path / "build"
    configure = ["cmake", "-S", tmp_path, "-B", build, f"-DCMAKE_PREFIX_PATH={PACKAGE}"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", build], check=True, capture_output=True)
    version = subprocess.run([build / "user"], check=True, capture_output=True, text=True).stdout
    assert int(version) == gossamer._gossamer.version()


def test_the_library_is_one_file():
    libraries = [path for path in PACKAGE.rglob("libgossamer*") if path.is_file()]
    assert [path.name for path in libraries] == ["libgossamer.so"]
