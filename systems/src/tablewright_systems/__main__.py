"""`python -m tablewright_systems`: the command `tablewright-systems`."""

import sys

from tablewright_systems.commands import main

if __name__ == "__main__":
    sys.exit(main())
