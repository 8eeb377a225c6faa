"""Seeds the catalogue of services (79), as often as one likes; what is there stays as it is.

python -m tablewright_systems.boards app.db
python -m tablewright_systems.boards http://localhost:8000
python -m tablewright_systems.boards aws:eu-north-1
"""

import argparse
import sys

from tablewright import connect
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import design
from tablewright_systems.boards.service import catalogue


def main(arguments: list[str] | None = None) -> None:
    """Seed, and say what was new."""
    parser = argparse.ArgumentParser(prog="python -m tablewright_systems.boards", description=__doc__)
    parser.add_argument("where", help="a file, http://... or aws:REGION")
    # Whoever can write to the store needs no token.
    operator = Caller("operator", {"roles": ["admin"]})
    with connect(design, parser.parse_args(arguments).where) as db:
        added = catalogue.seed(db, operator)
    told = ", ".join(entry.service_type for entry in added) or "nothing: all of it is there"
    sys.stdout.write(f"added {told}\n")


if __name__ == "__main__":
    main()
