"""RESULTS.md: the measured tables are between markers, and `make bench ARGS=--write` replaces them; the text stays.

<!-- measured: wire -->
...
<!-- end -->
"""

import os
import platform
import re
import subprocess
import time
from pathlib import Path

FILE = Path(__file__).with_name("RESULTS.md")
_END = "<!-- end -->"


def conditions() -> str:
    """When, where and under which load a benchmark was run."""
    load = os.getloadavg()[0]
    note = "" if load < 0.5 else ": **other programs were running**"
    return (
        f"{time.strftime('%Y-%m-%d')}, commit {_commit()}, {os.cpu_count()} processors, Python "
        f"{platform.python_version()}, load average before the run {load:.1f}{note}.\n"
    )


def has_place_for(name: str, file: Path = FILE) -> bool:
    """Whether the page has the markers of a benchmark."""
    return _start(name) in file.read_text()


def write(name: str, text: str, file: Path = FILE) -> None:
    """Replace the measured tables of a benchmark."""
    file.write_text(replaced(file.read_text(), name, text))


def replaced(page: str, name: str, text: str) -> str:
    """The page with other tables of a benchmark.

    >>> replaced("a <!-- measured: wire -->old<!-- end --> b", "wire", "new")
    'a <!-- measured: wire -->\\n\\nnew\\n\\n<!-- end --> b'
    """
    start = _start(name)
    pattern = re.compile(f"{re.escape(start)}.*?{re.escape(_END)}", re.DOTALL)
    shown, count = pattern.subn(lambda _: f"{start}\n\n{text.strip()}\n\n{_END}", page)
    if count != 1:
        raise ValueError(f"RESULTS.md has {count} places for {name}; there must be one: {start} {_END}")
    return shown


def _start(name: str) -> str:
    return f"<!-- measured: {name} -->"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty"]
    process = subprocess.run(command, cwd=FILE.parent, capture_output=True, text=True)
    return process.stdout.strip() or "unknown"
