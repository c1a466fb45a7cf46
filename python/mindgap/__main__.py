"""The command line: ``mindgap ...`` and ``python -m mindgap ...``."""

import sys

from mindgap import _core


def main() -> int:
    return _core.command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
