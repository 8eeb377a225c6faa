"""`make bench`: measure, side by side with peers; `make bench ARGS="engine growth"` runs the named benchmarks.

make bench                                        all comparisons, in less than ten minutes
make bench ARGS=--quick                           the same in less than two minutes; rates are directions only
make bench ARGS=--write                           and write the results into RESULTS.md, on an idle machine
make bench ARGS="growth --items 10000000"         one benchmark, with its number of items
"""

import argparse
import sys
from importlib import import_module

from benchmarks import results
from benchmarks.settings import Settings

COMPARISONS = ("engine", "access", "endpoint", "client", "systems", "fixture", "growth", "wire")
"""Benchmarks with a peer or a budget: `make bench` runs them."""
STUDIES = (
    "checksums",
    "compiled",
    "console",
    "http_reader",
    "imports",
    "ion",
    "migrations",
    "tables",
    "vectors",
    "waits",
)
"""Benchmarks of one question each, run by name."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description="Measure, side by side with peers.")
    parser.add_argument(
        "names",
        metavar="NAME",
        nargs="*",
        help=f"benchmarks to run: {', '.join(COMPARISONS)} (default: these), {', '.join(STUDIES)}",
    )
    parser.add_argument("--quick", action="store_true", help="measure for less time, and with fewer items")
    parser.add_argument("--write", action="store_true", help="write the results into benchmarks/RESULTS.md")
    parser.add_argument("--items", type=int, metavar="N", help="number of items of the growth benchmark")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in (*COMPARISONS, *STUDIES)]
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are: {', '.join((*COMPARISONS, *STUDIES))}")
    if options.quick and options.write:
        parser.error("--quick measures too little to write the results; leave one of them out")
    if options.write and (missing := [name for name in options.names if not results.has_place_for(name)]):
        parser.error(f"RESULTS.md has no place for the tables of {', '.join(missing)}")
    settings = Settings(options.quick, options.items)
    # Once: a benchmark is itself the load that the next one would report.
    conditions = results.conditions()
    for name in options.names or COMPARISONS:
        print(f"## {name}\n\n{conditions}", flush=True)
        sections = [conditions]
        for section in import_module(f"benchmarks.{name}").report(settings):
            print(section, flush=True)
            sections.append(section)
        if options.write:
            results.write(name, "\n".join(sections))
    return 0


if __name__ == "__main__":
    sys.exit(main())
