"""Apply each mutation to a copy of the systems, run `verify` and the named tests on it, and print which caught it.

The working tree stays as it is. The exit code is 1 if a mutation survives, or does not fit its file any more.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tablewright_systems.registry import SYSTEMS
from tests.mutants.mutation import PACKAGE, ROOT, Mutation, mutations_of
from tests.mutants.proof_process import BROKEN, FAILED

MAX_SECONDS = 300
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


def main() -> int:
    """Run the mutations; the exit code is 1 if one survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    names = [system.name for system in SYSTEMS]
    parser.add_argument("systems", metavar="SYSTEM", nargs="*", help="systems to mutate (default: all)")
    parser.add_argument("-k", metavar="TEXT", default="", help="only mutations with this text in their title")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many to run at once")
    options = parser.parse_args()
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
        for outcome in pool.map(lambda each: _run(*each), [*unchanged, *chosen]):
            print(outcome, flush=True)
            outcomes.append(outcome)
    failed = [outcome for outcome in outcomes if not outcome.is_ok]
    print(f"\n{len(chosen)} mutations, {len(failed)} problems")
    return 1 if failed else 0


def _run(system: str, mutation: Mutation) -> Outcome:
    outcome = partial(Outcome, system, mutation)
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = shutil.copytree(PACKAGE, Path(folder, PACKAGE.name), symlinks=True)
        if mutation is UNCHANGED:
            code, output = _python(folder, "-m", "tests.mutants.proof_process", system)
            return outcome(f"verify passes{'' if code == 0 else ': NO, ' + output}", code == 0)
        try:
            _mutate(copy / mutation.file, mutation)
        except (OSError, ValueError, SyntaxError) as error:
            return outcome(f"ERROR: {error}", False)
        return outcome(*_catch(folder, system, mutation))


def _mutate(file: Path, mutation: Mutation) -> None:
    """Write the mutated file; Python does not notice a change of the same size within a second by itself."""
    file.write_text(mutation.apply(file.read_text()))
    for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*"):
        compiled.unlink()


def _catch(folder: str, system: str, mutation: Mutation) -> tuple[str, bool]:
    """Return what caught the mutation, and whether anything did."""
    code, output = _python(folder, "-m", "tests.mutants.proof_process", system)
    if code == FAILED:
        return f"verify {output.partition(' ')[0]}", True
    if code != 0:
        return f"ERROR: the mutated code does not work at all: {output}", False
    if not mutation.tests:
        return "SURVIVED", False
    code, output = _python(folder, *_PYTEST, *mutation.tests)
    if code == 0:
        return f"SURVIVED, also {', '.join(mutation.tests)}", False
    if code == FAILED and (failed := re.search(r"^(?:FAILED|ERROR) \S+::(\S+)", output, re.MULTILINE)):
        return str(failed[1]), True
    return f"ERROR: the tests did not run: {output[-2000:]}", False


def _python(folder: str, *arguments: str) -> tuple[int, str]:
    """Run Python with the systems in `folder`; return its exit code and output."""
    path = os.pathsep.join((folder, str(ROOT / "src")))
    try:
        run = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=MAX_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return BROKEN, f"did not end within {MAX_SECONDS} s"
    return run.returncode, run.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
