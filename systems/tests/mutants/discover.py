"""Find checks that no proof needs: `python -m systems.tests.mutants.discover SYSTEM`.

Each check of a system (a call of `require...`, an `if` that only raises) is removed from a copy, one at a time, and the
proofs run. Checks whose removal no proof notices are listed: strengthen the proof, or add a mutation with a test.
Some survivors are equivalent: a condition of a write or another check rejects the same request.
"""

import ast
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from systems.tests.mutants.mutated_copy import mutated_copy, run_proofs
from systems.tests.mutants.mutation import PACKAGE

_OTHERS = ("proofs", "samples", "design")


@dataclass(frozen=True, slots=True)
class Check:
    """A statement that rejects requests."""

    file: str
    line: int
    function: str
    source: str
    without: str
    """Text of the file without the check."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.source.splitlines()[0]}"


def checks_in(file: str, text: str) -> Iterator[Check]:
    """Yield the checks of a file.

    >>> [str(check) for check in checks_in("a.py", "def rename(caller):\\n    require_owner(caller)\\n    return 1\\n")]
    ['a.py:2 rename: require_owner(caller)']
    """
    lines = text.splitlines(keepends=True)
    for function in filter(lambda node: isinstance(node, ast.FunctionDef), ast.walk(ast.parse(text))):
        assert isinstance(function, ast.FunctionDef)
        for node in filter(_is_check, ast.walk(function)):
            assert isinstance(node, ast.stmt)
            start, end = node.lineno - 1, node.end_lineno
            rest = [*lines[:start], " " * node.col_offset + "pass\n", *lines[end:]]
            source = "".join(lines[start:end]).strip()
            yield Check(file, node.lineno, function.name, source, "".join(rest))


def _is_check(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=called)):
            return "require" in ast.unparse(called)
        case ast.If(body=[ast.Raise()], orelse=[]):
            return True
        case _:
            return False


def checks_of(system: str) -> list[Check]:
    """Return the checks of a system, outside of its design, samples and proofs."""
    collected: list[Check] = []
    for path in sorted((PACKAGE / system).rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        if not any(part.partition(".")[0] in _OTHERS for part in file.split("/")):
            collected += checks_in(file, path.read_text())
    return collected


def is_needed(system: str, check: Check) -> bool:
    """Return whether a proof fails without the check."""
    with mutated_copy(check.file, check.without) as folder:
        return run_proofs(folder, system)[0] != 0


def main() -> int:
    """List the checks of a system that no proof needs."""
    system = sys.argv[1]
    checks = checks_of(system)
    survivors = 0
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for check, needed in zip(checks, pool.map(lambda item: is_needed(system, item), checks), strict=True):
            if not needed:
                survivors += 1
                print(check, flush=True)
    print(f"\n{survivors} of {len(checks)} checks are needed by no proof")
    return 0


if __name__ == "__main__":
    sys.exit(main())
