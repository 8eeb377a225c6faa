"""Campaigns: fuzz one target in a process of its own, and return what was reached, or the input that failed."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import forked_processes
from tests.fuzz.targets import TARGETS

ROOT = Path(__file__).parents[2]
_COVERED = re.compile(r"cov: (\d+)")


@dataclass(frozen=True, slots=True)
class Campaign:
    """The result of a campaign; `problem` is empty when no input failed."""

    inputs: int
    problem: str = ""
    edges: int = 0
    slowest: float = 0.0
    reached: dict[str, bytes] = field(default_factory=dict)
    """What was reached, with the shortest input that reached it."""


def fuzz(name: str, inputs: int, directory: Path, *, seed: int = 1, planted: str = "") -> Campaign:
    """Fuzz a target with so many inputs; `planted` is Python code that plants a bug."""
    directory.mkdir(parents=True)
    modules = list(TARGETS[name].modules)
    request = {"target": name, "inputs": inputs, "seed": seed, "planted": planted, "modules": modules}
    (directory / "request.json").write_text(json.dumps({**request, "directory": str(directory)}))
    done = forked_processes.run(
        [sys.executable, "-m", "tests.fuzz.fuzz_process", str(directory / "request.json")],
        prepared=f"from tests.fuzz.fuzz_process import load; load({modules})",
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])},
        errors="replace",
        timeout=None,
    )
    result = directory / "result.json"
    found: dict[str, Any] = json.loads(result.read_text()) if result.exists() else {"inputs": 0}
    edges = [int(number) for number in _COVERED.findall(done.stderr)]
    return Campaign(
        found["inputs"],
        _problem(name, directory, found, done),
        max(edges, default=0),
        found.get("slowest", 0.0),
        {name: bytes.fromhex(data) for name, data in found.get("reached", {}).items()},
    )


def _problem(
    name: str, directory: Path, found: dict[str, Any], done: subprocess.CompletedProcess[str]
) -> str:
    if "error" in found:
        return f"{name}: {found['error']}\ninput ({found['size']} bytes): {found['failed']}\n{found['trace']}"
    if done.returncode == 0 and "reached" in found:
        return ""
    # libFuzzer ended the process: an input that takes minutes or gigabytes, or a crash of C code.
    kept = [path for path in directory.glob("*-*") if path.name.startswith(("timeout-", "oom-", "crash-"))]
    inputs = [f"{path.name}: {path.read_bytes()[:1000]!r}" for path in kept]
    return "\n".join(
        [f"{name}: exit code {done.returncode}", *inputs, done.stdout[-2000:], done.stderr[-2000:]]
    )
