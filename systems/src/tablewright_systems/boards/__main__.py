"""Add the service types of the document to the catalogue. Existing types are unchanged.

python -m tablewright_systems.boards app.db
python -m tablewright_systems.boards http://localhost:8000
python -m tablewright_systems.boards aws:eu-north-1
"""

import argparse
import sys

from tablewright import connect
from tablewright_systems.boards.design import design
from tablewright_systems.boards.service import catalogue
from tablewright_systems.service.callers import Caller


def main(arguments: list[str] | None = None) -> None:
    """Add the service types, and print which ones were new."""
    parser = argparse.ArgumentParser(prog="python -m tablewright_systems.boards", description=__doc__)
    parser.add_argument("where", help="data file, http://... or aws:REGION")
    # A program with write access to the store needs no token.
    operator = Caller("operator", {"roles": ["admin"]})
    with connect(design, parser.parse_args(arguments).where) as db:
        added = catalogue.seed(db, operator)
    names = ", ".join(entry.service_type for entry in added) or "nothing: all service types exist"
    sys.stdout.write(f"added {names}\n")


if __name__ == "__main__":
    main()
