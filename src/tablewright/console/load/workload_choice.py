"""Workload choice: the rates that an estimate uses, from the design, a workload file, the page, or assumptions."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tablewright.console.endpoints import Body
from tablewright.console.open_designs import OpenDesign
from tablewright.design.designs import Design
from tablewright.errors import UsageError
from tablewright.planning.workloads import (
    Workload,
    assumed_workload,
    declares_rates,
    load_workload,
    require_known,
)

DECLARED = "declared"
"""The name of the rates that the design declares."""
MAX_FILES = 20

Times = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]


class WorkloadChoice(Body):
    """Which rates to use: `workload` is `declared` or a file; `rates` are changed on the page, in runs a month."""

    workload: str | None = None
    """By default a workload file beside the design, if the design itself declares no rates."""
    rates: Mapping[str, Times] = {}
    """By pattern (`ProfileOf`), or by write and entity (`create User`)."""
    assume: bool = False
    """Whether to assume rates if none are declared."""


@dataclass(frozen=True)
class ChosenWorkload:
    """A workload, and where it comes from."""

    workload: Workload
    name: str
    files: tuple[str, ...]
    is_declared: bool
    """Whether it says how often anything is read or written."""
    assumption: str | None


def workload_files(opened: OpenDesign) -> dict[str, Path]:
    """Return the workload files beside the design's module, and in the working directory, by name."""
    module = sys.modules.get(opened.source.partition(":")[0])
    source = getattr(module, "__file__", None)
    folders = [Path(source).parent, Path(source).parent.parent] if source else []
    found: dict[str, Path] = {}
    for folder in (Path.cwd(), *folders):
        for path in sorted(folder.glob("*workload*.json"))[:MAX_FILES]:
            found.setdefault(path.name, path)
    return found


def choose_workload(opened: OpenDesign, choice: WorkloadChoice, *designs: Design) -> ChosenWorkload:
    """Return the workload of a choice; its names must exist in the designs, by default that of the console."""
    used = designs or (opened.design,)
    files = workload_files(opened)
    name = choice.workload
    if name is None:
        has_own = any(declares_rates(design, Workload()) for design in used)
        name = DECLARED if has_own or not files else next(iter(files))
    if name != DECLARED and name not in files:
        known = ", ".join([DECLARED, *files])
        raise UsageError(
            f"there is no workload {name}; there are: {known}. Put workload files beside the design."
        )
    workload = load_workload(None if name == DECLARED else files[name], *used)
    workload = with_rates(workload, choice.rates)
    require_known(workload, "the page", *used)
    is_declared = any(declares_rates(design, workload) for design in used)
    assumption = None
    if not is_declared and choice.assume:
        workload, assumption = assumed_workload(used[0], workload)
    return ChosenWorkload(workload, name, (DECLARED, *files), is_declared, assumption)


def with_rates(workload: Workload, rates: Mapping[str, float]) -> Workload:
    """Return a workload with other rates.

    >>> with_rates(Workload(), {"ByName": 5, "create User": 2}).entities["User"].create
    2.0
    """
    given = workload.model_dump(exclude_unset=True)
    patterns = {name: dict(use) for name, use in given.get("patterns", {}).items()}
    entities = {name: dict(use) for name, use in given.get("entities", {}).items()}
    for name, times in rates.items():
        kind, _, entity = name.partition(" ")
        if entity:
            entities.setdefault(entity, {})[kind] = times
        else:
            patterns.setdefault(name, {})["times"] = times
    return Workload.model_validate(given | {"patterns": patterns, "entities": entities})
