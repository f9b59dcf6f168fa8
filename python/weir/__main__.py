# SPDX-License-Identifier: Apache-2.0
"""The command `weir` of the installed package: runs the program that the wheel carries."""
import os
import sys

from weir import _part


def main() -> int:
    program = _part("weir")
    if program is None:
        print("weir: the program is not beside the package", file=sys.stderr)
        return 1
    os.environ.setdefault("WEIR_PYTHON", sys.executable)
    os.execv(program, [str(program), *sys.argv[1:]])
    return 1


if __name__ == "__main__":
    sys.exit(main())
