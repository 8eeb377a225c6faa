"""Heat and cost: what a design costs, which keys throttle, and how the measured load differs from the declared one."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from tablewright.connections import Embedded
from tablewright.console.endpoints import Body, ConsoleRequest, get, post
from tablewright.console.load.cost_data import difference_data, estimate_data, undeclared
from tablewright.console.load.heat_data import heat_data, measured_keys, measured_patterns, measured_writes
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.pattern_costs import prices_of
from tablewright.console.tasks import TaskReport
from tablewright.design.designs import Design
from tablewright.errors import UsageError
from tablewright.planning.cost_estimate import Estimate, differences, estimate
from tablewright.planning.partition_heat import heat_of
from tablewright.planning.prices import Prices, load_prices, priced_regions
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
    files: dict[str, Path] = {}
    for folder in (Path.cwd(), *folders):
        for path in sorted(folder.glob("*workload*.json"))[:MAX_FILES]:
            files.setdefault(path.name, path)
    return files


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
    declared = workload.model_dump(exclude_unset=True)
    patterns = {name: dict(use) for name, use in declared.get("patterns", {}).items()}
    entities = {name: dict(use) for name, use in declared.get("entities", {}).items()}
    for name, times in rates.items():
        kind, _, entity = name.partition(" ")
        if entity:
            entities.setdefault(entity, {})[kind] = times
        else:
            patterns.setdefault(name, {})["times"] = times
    return Workload.model_validate(declared | {"patterns": patterns, "entities": entities})


MAX_USERS = 1_000_000.0
MAX_RUNS = 1e12
"""The most runs a month that are simulated for one pattern: about 400,000 a second."""
SIMULATION_WAIT = 2.0
"""The seconds after which a simulation continues as a task."""
WHY_UNMEASURED = (
    "Requests are measured inside the embedded engine. This console is connected to another endpoint; open the data "
    "with tablewright serve --console. On AWS, CloudWatch has the consumed capacity, and contributor insights the "
    "hottest keys."
)


def describe_cost(request: ConsoleRequest) -> dict[str, Any]:
    """Estimate the cost of a month, by pattern, write and table.

    `region` is the region of the prices, `workload` a workload file, `rates` other rates as JSON.
    """
    opened = request.design
    chosen = choose_workload(opened, _choice(request))
    estimated = estimate(opened.design, chosen.workload, _prices(opened, request.query.get("region")))
    return {
        **_workload_data(opened, chosen),
        "regions": priced_regions(),
        **estimate_data(estimated, opened.db.context.table_name),
    }


def simulate_heat(request: ConsoleRequest) -> dict[str, Any]:
    """Simulate the partitions with `users` times the declared users; list the hottest keys.

    A simulation that takes long continues as the task `task`, whose result is the list of `resources`.
    """
    opened = request.design
    users = _users(request)
    choice = _choice(request)
    if max(choice.rates.values(), default=0) * users > MAX_RUNS:
        raise UsageError(
            f"the rates times the users are at most {MAX_RUNS:,.0f} a month; enter smaller numbers"
        )
    chosen = choose_workload(opened, choice)
    described = {**_workload_data(opened, chosen), "users": users, "resources": [], "task": None}
    if not chosen.is_declared and chosen.assumption is None:
        return described

    def simulate(report: TaskReport) -> list[dict[str, Any]]:
        def show(done: int, total: int) -> None:
            report(done, total, "tables and indexes")

        heats = heat_of(opened.design, chosen.workload, users, on_progress=show, on_step=report.check)
        heats.sort(
            key=lambda heat: (-heat.run.throttled, -max((key.heat for key in heat.run.keys), default=0))
        )
        return [heat_data(opened, heat) for heat in heats]

    task = opened.tasks.start("heat", f"Simulate {users:,g} x the users", simulate)
    ended = opened.tasks.wait(task.id, SIMULATION_WAIT)
    if ended.state != "done":
        return described | {"task": task.id}
    return described | {"resources": ended.result}


class ComparedWorkload(WorkloadChoice):
    """One side of a comparison; `design` is `module:name`, in the package of the open design."""

    design: str | None = None


class CostComparison(Body):
    """Two designs or workloads to compare."""

    before: ComparedWorkload = ComparedWorkload()
    after: ComparedWorkload = ComparedWorkload()
    region: str | None = None


def compare_costs(request: ConsoleRequest) -> dict[str, Any]:
    """Compare the cost of two designs, or of two workloads: what became more or less expensive, and why."""
    opened = request.design
    body = request.parse(CostComparison)
    prices = _prices(opened, body.region)
    before, after = (_estimate(opened, side, prices) for side in (body.before, body.after))
    return {
        "before": before.cost,
        "after": after.cost,
        "by": after.cost - before.cost,
        "region": prices.region,
        "differences": [difference_data(difference) for difference in differences(before, after)],
    }


def describe_traffic(request: ConsoleRequest) -> dict[str, Any]:
    """Compare the declared load with the measured one, by pattern, entity and partition key."""
    opened = request.design
    if not isinstance(opened.db.connection, Embedded):
        return {"available": False, "why": WHY_UNMEASURED}
    traffic = opened.traffic
    chosen = choose_workload(opened, _choice(request))
    counts = traffic.copied()
    unknown = [group[()].as_data() for group in (counts.reads, counts.writes) if () in group]
    return {
        "available": True,
        "is_measuring": traffic.is_measuring,
        "since": counts.since or None,
        "seconds": traffic.seconds,
        "requests": counts.requests,
        "errors": counts.errors,
        "patterns": measured_patterns(opened, chosen.workload),
        "writes": measured_writes(opened, chosen.workload),
        "unknown": sum(use["requests"] for use in unknown),
        "keys": measured_keys(opened),
    }


def start_measuring(request: ConsoleRequest) -> dict[str, Any]:
    """Start to measure the requests to the tables of the design."""
    connection = request.design.db.connection
    if not isinstance(connection, Embedded):
        raise UsageError(WHY_UNMEASURED)
    request.design.traffic.start(connection)
    return describe_traffic(request)


def stop_measuring(request: ConsoleRequest) -> dict[str, Any]:
    """End the measurement; its counts are kept."""
    request.design.traffic.stop()
    return describe_traffic(request)


def _workload_data(opened: OpenDesign, chosen: ChosenWorkload) -> dict[str, Any]:
    return {
        "workload": chosen.name,
        "workloads": chosen.files,
        "about": chosen.workload.about,
        "is_declared": chosen.is_declared,
        "assumption": chosen.assumption,
        "undeclared": undeclared(opened.design, chosen.workload),
    }


def _choice(request: ConsoleRequest) -> WorkloadChoice:
    try:
        rates = json.loads(request.query.get("rates") or "{}")
    except (ValueError, RecursionError):
        raise UsageError('rates is JSON such as {"ProfileOf": 1000}') from None
    return WorkloadChoice.model_validate(
        {"workload": request.query.get("workload"), "rates": rates, "assume": request.flag("assume")}
    )


def _prices(opened: OpenDesign, region: str | None) -> Prices:
    return prices_of(opened) if region is None else load_prices(region)


def _users(request: ConsoleRequest) -> float:
    text = request.query.get("users", "1")
    try:
        users = float(text)
    except ValueError:
        users = 0.0
    if not 0 < users <= MAX_USERS:
        raise UsageError(f"users is a number above 0 and at most {MAX_USERS:,.0f}, got {text!r}")
    return users


def _estimate(opened: OpenDesign, side: ComparedWorkload, prices: Prices) -> Estimate:
    design = _design(opened, side.design)
    chosen = choose_workload(opened, side, design)
    return estimate(design, chosen.workload, prices)


def _design(opened: OpenDesign, name: str | None) -> Design:
    """Return a design to compare with. Only modules of the open design's package are imported."""
    if name is None or name == opened.source:
        return opened.design
    package = opened.source.partition(":")[0].partition(".")[0]
    module = name.partition(":")[0]
    if module.partition(".")[0] != package or not _is_design_module(module):
        raise UsageError(
            f"{name} is not a design of the package {package}; compare others with tablewright cost --diff"
        )
    return Design.load(name)


def _is_design_module(module: str) -> bool:
    """Whether a module is imported already, or is named as one that defines a design: importing runs its code."""
    return module in sys.modules or "design" in module.rpartition(".")[2]


ROUTES = [
    get("/cost", describe_cost),
    post("/cost/compare", compare_costs, writes=False),
    get("/heat", simulate_heat),
    get("/traffic", describe_traffic),
    post("/traffic/start", start_measuring, writes=False),
    post("/traffic/stop", stop_measuring, writes=False),
]
