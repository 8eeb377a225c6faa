"""Workloads: how often a design is used, as declared in the design and in a file that completes or overrides it.

    {"users": 1000, "peak": 4,
     "patterns": {"ProfileOf": 10000, "StepsOf": {"times": 500, "items": 3}},
     "entities": {"Deadline": {"items": 5000, "size": 500, "create": 3000, "update": 600,
                               "moves": {"DueDateIndex": 0.2}, "present": {"ReminderDateIndex": 0.5}, "fails": 0.01}},
     "tables": {"leavs-{env}-deadlines": {"backups": 2}}}

Times are per month. `peak` is the load of the busiest second as a multiple of the average; rates declared as
`PerSecond` are those of the busiest second, all others are averages.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, model_validator

from tablewright.design.designs import Design
from tablewright.design.fields.rates import PerSecond, Rate
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.plans import Plan
from tablewright.design.tables import Table
from tablewright.errors import UsageError
from tablewright.planning.json_files import StrictModel, parsed, read_json

Times = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Shares = Share | Mapping[str, Share]

S = TypeVar("S", bound=StrictModel)

WRITES = ("write", "create", "update", "delete")


class PatternUse(StrictModel):
    """How a pattern is used; `{"ProfileOf": 10000}` is short for `{"ProfileOf": {"times": 10000}}`."""

    times: Times | None = None
    items: Annotated[float, Field(ge=0)] | None = None
    """The number of items that a run reads, including those that a filter removes."""

    @model_validator(mode="before")
    @classmethod
    def _short(cls, content: Any) -> Any:
        return {"times": content} if isinstance(content, int | float) else content


class EntityUse(StrictModel):
    """How an entity is written, and its number of items."""

    items: Annotated[float, Field(ge=0)] | None = None
    size: Annotated[int, Field(ge=1)] | None = None
    write: Times | None = None
    create: Times | None = None
    update: Times | None = None
    delete: Times | None = None
    moves: Shares = 0.0
    """The share of updates that change an index key: for all indexes, or by the name of the index."""
    fails: Share = 0.0
    """The share of writes whose condition fails."""
    present: Mapping[str, Share] = {}
    """The share of items that are in an index, by the name of the index; the default is all."""
    copies: Mapping[str, Times] = {}
    """The number of copies of an item, by the name of the `Copy`."""
    follows: Share | None = None
    """The share of updates that also change the copies; the default is all."""
    relocks: Share = 0.0
    """The share of updates that change a unique value."""

    def moved(self, index: str) -> float:
        """The share of updates that move an item in an index."""
        return self.moves.get(index, 0.0) if isinstance(self.moves, Mapping) else self.moves


class TableUse(StrictModel):
    """Backups, exports, restores and stream reads of a table."""

    backups: Annotated[float, Field(ge=0)] = 0
    """The number of backups that are stored."""
    exports: Times = 0
    restores: Times = 0
    stream_reads: Times = 0
    """GetRecords calls of readers other than Lambda triggers, whose calls are free."""


class Workload(StrictModel):
    """A month of a design."""

    about: str = ""
    users: float | None = None
    peak: Annotated[float, Field(ge=1)] = 1.0
    skew: Annotated[float, Field(ge=0, le=3)] = 0.99
    """The exponent of Zipf's law for the popularity of keys: 0 is even, 0.99 is usual in benchmarks."""
    patterns: Mapping[str, PatternUse] = {}
    entities: Mapping[str, EntityUse] = {}
    tables: Mapping[str, TableUse] = {}

    def times_of(self, plan: Plan) -> float | None:
        """How often a pattern runs in a month; None if it is not declared."""
        times = self.patterns.get(plan.name, PatternUse()).times
        return self._per_month(plan.pattern.rate) if times is None else times

    def writes_of(self, layout: Layout) -> dict[str, float]:
        """How often an entity is written in a month, by the kind of write; the file overrides `Expect(writes=...)`."""
        use = self.use_of(layout)
        rates = {kind: times for kind in WRITES if (times := getattr(use, kind)) is not None}
        declared = self._per_month(layout.expect.writes)
        return rates if rates or declared is None else {"write": declared}

    def use_of(self, layout: Layout) -> EntityUse:
        """How an entity is used."""
        return self.entities.get(layout.entity.__name__, EntityUse())

    def use_of_table(self, table: Table) -> TableUse:
        """How a table is used."""
        return self.tables.get(table.name, TableUse())

    def scaled(self, factor: float) -> "Workload":
        """The workload with the users multiplied by `factor`: runs, writes and items grow; the items of one run do not.

        >>> Workload(users=10, patterns={"ByName": PatternUse(times=5)}).scaled(3).patterns["ByName"].times
        15.0
        """
        often = ("items", *WRITES)
        entities = {name: _multiplied(use, often, factor) for name, use in self.entities.items()}
        patterns = {name: _multiplied(use, ("times",), factor) for name, use in self.patterns.items()}
        users = None if self.users is None else self.users * factor
        return self.model_copy(update={"users": users, "patterns": patterns, "entities": entities})

    def _per_month(self, rate: Rate | None) -> float | None:
        if rate is None:
            return None
        return rate.per_month / self.peak if isinstance(rate, PerSecond) else rate.per_month


def load_workload(file: str | Path | None, *designs: Design) -> Workload:
    """The workload in a file, whose names must exist in the designs; without a file, only the declared rates."""
    if file is None:
        return Workload()
    workload = parsed(Workload, read_json(file), file)
    require_known(workload, file, *designs)
    return workload


def require_known(workload: Workload, file: str | Path, *designs: Design) -> None:
    """Raise `UsageError` if a workload names a pattern, entity, table, index or copy that the designs do not have."""
    entities = [entity for design in designs for entity in design.entities]
    _check(
        file, "pattern", workload.patterns, [one.__name__ for design in designs for one in design.patterns]
    )
    _check(file, "entity", workload.entities, [entity.__name__ for entity in entities])
    _check(file, "table", workload.tables, [table.name for design in designs for table in design.tables])
    for name, use in workload.entities.items():
        layouts = [entity.layout for entity in entities if entity.__name__ == name]
        moved = use.moves if isinstance(use.moves, Mapping) else ()
        indexes = [index.name for layout in layouts for index in layout.table.all_indexes]
        _check(file, "index", [*use.present, *moved], indexes)
        _check(file, "copy", use.copies, [copy.name for layout in layouts for copy in layout.copies])


def _check(file: str | Path, what: str, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = (
                f"did you mean {close[0]}?"
                if close
                else f"there are: {', '.join(dict.fromkeys(known)) or 'none'}"
            )
            raise UsageError(f"{file}: the design has no {what} {name}; {hint}")


def _multiplied(use: S, names: Sequence[str], factor: float) -> S:
    known = {name: value for name in names if (value := getattr(use, name)) is not None}
    return use.model_copy(update={name: value * factor for name, value in known.items()})


ASSUMED_READS, ASSUMED_WRITES, ASSUMED_ITEMS = 1_000_000, 100_000, 100_000


def declares_rates(design: Design, workload: Workload) -> bool:
    """Whether a design, or its workload file, says how often anything is read or written."""
    return any(workload.times_of(plan) is not None for plan in design.plans) or any(
        workload.writes_of(entity.layout) for entity in design.entities
    )


def assumed_workload(design: Design, workload: Workload) -> tuple[Workload, str]:
    """Return a workload for a design without rates, and the text that says what is assumed and what to declare."""
    entities = {
        entity.__name__: {
            "items": workload.use_of(entity.layout).items or entity.layout.expect.items or ASSUMED_ITEMS,
            "create": ASSUMED_WRITES,
        }
        for entity in design.entities
    }
    patterns = {plan.name: ASSUMED_READS for plan in design.plans}
    content = workload.model_dump(exclude_defaults=True) | {"patterns": patterns, "entities": entities}
    text = (
        f"{design.name} declares no rates. Assumed: {ASSUMED_READS:,} runs of each pattern and {ASSUMED_WRITES:,} "
        f"writes of each entity a month, {ASSUMED_ITEMS:,} items of each entity. Declare yours: "
        "rate = fields.PerSecond(20) in patterns, expect=fields.Expect(items=..., writes=...) in entities, or a "
        "workload file (--workload FILE on the command line)"
    )
    return Workload.model_validate(content), text
