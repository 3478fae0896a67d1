# SPDX-License-Identifier: BSD-3-Clause
"""What `import gossamer` imports."""

import subprocess
import sys


def test_only_numpy_is_imported():
    code = "import gossamer, numpy, sys; gossamer.matrix((numpy.ones(1), [0], [0, 1]), shape=(1, 1)) @ [1.0]; "
    code += "assert not {'torch', 'cupy', 'jax', 'scipy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
