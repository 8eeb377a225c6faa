"""Run Python on a copy of the systems with one changed file; the working tree stays as it is."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from systems.tests.mutants.mutation import PACKAGE, ROOT
from systems.tests.mutants.proof_process import BROKEN

MAX_SECONDS = 300


@contextmanager
def mutated_copy(file: str = "", text: str = "") -> Iterator[str]:
    """Copy the systems to a new folder, with another text of one file; yield the folder."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copy = shutil.copytree(PACKAGE, Path(folder, PACKAGE.name), symlinks=True)
        if file:
            changed = copy / file
            changed.write_text(text)
            # Python does not notice a change of the same size within a second by itself.
            for compiled in (changed.parent / "__pycache__").glob(f"{changed.stem}.*"):
                compiled.unlink()
        yield folder


def run_proofs(folder: str, system: str) -> tuple[int, str]:
    """Run the proofs of a system in a copy; return the exit code of `proof_process` and its output."""
    return run_python(folder, "-m", "systems.tests.mutants.proof_process", system)


def run_python(folder: str, *arguments: str) -> tuple[int, str]:
    """Run Python with the systems of a copy; return its exit code and output."""
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
