"""`make bench`: run every benchmark, or those named: `make bench ARGS="engine growth"`."""

import sys
from importlib import import_module

SUITES = (
    "access",
    "checksums",
    "client",
    "compiled",
    "endpoint",
    "engine",
    "fixture",
    "growth",
    "http_reader",
    "ion",
    "migrations",
    "systems",
    "tables",
    "vectors",
    "waits",
    "wire",
)


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(SUITES)}", file=sys.stderr)
        return 2
    for name in names or SUITES:
        print(f"## {name}\n")
        for section in import_module(f"benchmarks.{name}").report():
            print(section, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
