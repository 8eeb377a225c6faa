"""Source lines: where the design's source code declares what a finding is about."""

import re
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from inspect import getsourcefile, getsourcelines
from pathlib import Path

from tablewright.checks.findings import Finding
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.designs import Design

BEFORE = 2
AFTER = 4
"""The lines of an excerpt before and after its line."""
_MAX_MODULES = 200


@dataclass(frozen=True, slots=True)
class SourceLines:
    """A line of a file, with an excerpt around it."""

    file: Path
    line: int
    first: int
    """The number of the first line of the excerpt."""
    excerpt: tuple[str, ...]


def source_lines(design: Design, finding: Finding) -> SourceLines | None:
    """Return the line of the field, class, table or index that a finding is about; None if there is no source."""
    if finding.subject is not None:
        return _class_line(finding.subject, finding.where)
    return _declaration_line(_files(design), finding.where)


def _class_line(subject: type, where: str) -> SourceLines | None:
    """The line of a field of a class, or of the class if the place is not a field."""
    try:
        file = getsourcefile(subject)
        lines, first = getsourcelines(subject)
    # A class without source, such as one from an interactive shell. SystemError: before Python 3.12, two threads that
    # parse sources at the same time disturb each other.
    except (OSError, TypeError, SystemError):
        return None
    if file is None:
        return None
    name = where.partition(".")[2]
    declared = re.compile(rf"\s+{re.escape(name)}\s*[:=]") if name else None
    offset = next((place for place, line in enumerate(lines) if declared and declared.match(line)), 0)
    return _excerpt(Path(file), first + offset)


def _declaration_line(files: Iterable[Path], where: str) -> SourceLines | None:
    """The line with the name of an index, or else of its table, as text in quotes."""
    found = list(files)
    for name in dict.fromkeys((where.rpartition(".")[2], where, where.rpartition(".")[0])):
        quoted = (f'"{name}"', f"'{name}'")
        for file in found:
            for number, line in enumerate(_lines(file), 1):
                if name and any(text in line for text in quoted):
                    return _excerpt(file, number)
    return None


def _files(design: Design) -> Iterable[Path]:
    """The files of the modules that define the classes of a design, and of their packages."""
    modules = {each.__module__ for each in (*design.entities, *design.patterns)}
    packages = {name.rpartition(".")[0] for name in modules} - {""}
    beside = [name for name in list(sys.modules) if name.rpartition(".")[0] in packages]
    for name in (*sorted(modules), *sorted(set(beside) - modules)[:_MAX_MODULES]):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and file.endswith(".py"):
            yield Path(file)


@lru_cache(maxsize=64)
def _read(file: Path, changed: float) -> Sequence[str]:
    return file.read_text("utf-8", "replace").splitlines()


def _lines(file: Path) -> Sequence[str]:
    try:
        return _read(file, file.stat().st_mtime)
    except OSError:  # in an archive, or deleted since
        return ()


def _excerpt(file: Path, line: int) -> SourceLines:
    lines = _lines(file)
    first = max(1, line - BEFORE)
    return SourceLines(file, line, first, tuple(lines[first - 1 : line + AFTER]))
