"""Apply each mutation to a copy of the systems, run `verify` and the named tests on it, and print which caught it.

The working tree stays as it is. The exit code is 1 if a mutation survives, or does not fit its file any more.
"""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from tablewright_systems.registry import SYSTEMS

from systems.tests.mutants.mutated_copy import mutated_copy, run_proofs, run_python
from systems.tests.mutants.mutation import PACKAGE, Mutation, mutations_of
from systems.tests.mutants.proof_process import CAUGHT

TESTS_FAILED = 1
UNCHANGED = Mutation("no mutation", "", "", "")
_PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one mutation."""

    system: str
    mutation: Mutation
    result: str
    is_ok: bool

    def __str__(self) -> str:
        return f"{self.system:<12} {self.mutation.label:<64} {self.result}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the mutations; the exit code is 1 if one survives."""
    parser = argparse.ArgumentParser(prog="python -m systems.tests.mutants", description=__doc__)
    names = [system.name for system in SYSTEMS]
    parser.add_argument("systems", metavar="SYSTEM", nargs="*", help="systems to mutate (default: all)")
    parser.add_argument("-k", metavar="TEXT", default="", help="only mutations with this text in their title")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many to run at once")
    options = parser.parse_args(arguments)
    if unknown := set(options.systems) - set(names):
        parser.error(f"unknown system {min(unknown)}; systems are {', '.join(names)}")
    chosen = [
        (name, mutation)
        for name in options.systems or names
        for mutation in mutations_of(name)
        if options.k in mutation.label
    ]
    unchanged = [(name, UNCHANGED) for name in dict.fromkeys(name for name, _ in chosen)]
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = []
        for outcome in pool.map(lambda item: _run(*item), [*unchanged, *chosen]):
            print(outcome, flush=True)
            outcomes.append(outcome)
    failed = [outcome for outcome in outcomes if not outcome.is_ok]
    print(f"\n{len(chosen)} mutations, {len(failed)} problems")
    return 1 if failed else 0


def _run(system: str, mutation: Mutation) -> Outcome:
    outcome = partial(Outcome, system, mutation)
    if mutation is UNCHANGED:
        with mutated_copy() as folder:
            code, output = run_proofs(folder, system)
        return outcome(f"verify passes{'' if code == 0 else ': NO, ' + output}", code == 0)
    try:
        text = mutation.apply((PACKAGE / mutation.file).read_text())
    except (OSError, ValueError, SyntaxError) as error:
        return outcome(f"ERROR: {error}", False)
    with mutated_copy(mutation.file, text) as folder:
        return outcome(*_catch(folder, system, mutation))


def _catch(folder: str, system: str, mutation: Mutation) -> tuple[str, bool]:
    """Return what caught the mutation, and whether anything did."""
    code, output = run_proofs(folder, system)
    if code == CAUGHT:
        return f"verify {output.partition(' ')[0]}", True
    if code != 0:
        return f"ERROR: the mutated code does not work at all: {output}", False
    if not mutation.tests:
        return "SURVIVED", False
    code, output = run_python(folder, *_PYTEST, *mutation.tests)
    if code == 0:
        return f"SURVIVED, also {', '.join(mutation.tests)}", False
    if code == TESTS_FAILED and (failed := re.search(r"^(?:FAILED|ERROR) \S+::(\S+)", output, re.MULTILINE)):
        return str(failed[1]), True
    return f"ERROR: the tests did not run: {output[-2000:]}", False


if __name__ == "__main__":
    sys.exit(main())
