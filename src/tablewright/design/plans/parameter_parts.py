"""Parameter parts: which part of an entity's key each parameter of a pattern fills, by its place in the key condition.

    key = "GSI1PK = POSTS#{shard}"        reads what the entity writes as "POSTS#{post_id:shard(8)}":
                                          `shard` fills `{post_id:shard(8)}`

Enumerations: all values of a parameter that fills a shard, and those between two times of one that fills a part of a
time.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time
from functools import cache
from itertools import product
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.annotations import integer_bounds, plain_type
from tablewright.design.keys.templates import Part, Template, TemplateField
from tablewright.design.keys.text_formats import Shard
from tablewright.design.keys.time_formats import Calendar, aware, is_a, natural_text
from tablewright.design.layouts.layouts import KeyLayout, Layout
from tablewright.design.plans.key_conditions import KeyClause
from tablewright.design.plans.plans import PatternSettings, Plan, copy_keys, fit, may_match, parameter_type
from tablewright.errors import UsageError

_SHARD_NAMES = ("shard", "bucket")
MOST_REQUESTS = 10_000
"""The most requests that one enumeration makes."""


@dataclass(frozen=True, slots=True)
class FilledPart:
    """A parameter in a key condition, and the part of an entity's key at its place."""

    parameter: TemplateField
    written: TemplateField
    layout: Layout
    attribute: str
    template: Template
    """The template that the entity writes."""
    is_whole: bool
    """Whether the parameter is the whole text of the part, and not its beginning or the end of a range."""


def filled_parts(plan: Plan) -> Iterator[FilledPart]:
    """The parameters of a plan, each with the parts of keys that it fills."""
    for layout in plan.layouts if not plan.problems else ():
        for key in _read_keys(plan, layout):
            written = dict(key.parts)
            for clause in plan.clauses:
                template = written[clause.attribute]
                for read in clause.templates:
                    for mine, theirs in paired_fields(read, template):
                        whole = is_whole(clause, mine)
                        yield FilledPart(mine, theirs, layout, clause.attribute, template, whole)


def _read_keys(plan: Plan, layout: Layout) -> list[KeyLayout]:
    """The keys of an entity that the key condition fits best."""
    if plan.lock is not None:
        return [plan.lock.key]
    own = layout.key_for(plan.index)
    keys = [*([own] if own else []), *copy_keys(layout, plan.index)]
    fits = [(fit(key, plan.clauses), key) for key in keys if may_match(key, plan.clauses)]
    return [key for degree, key in fits if degree == max(fits, key=lambda one: one[0])[0]]


def paired_fields(read: Template, written: Template) -> Iterator[tuple[TemplateField, TemplateField]]:
    """The fields that stand at the same place of both templates, up to the first text that differs."""
    mine: Part
    theirs: Part
    for mine, theirs in zip(read.parts, written.parts, strict=False):
        if isinstance(mine, TemplateField) and isinstance(theirs, TemplateField):
            yield mine, theirs
        elif mine != theirs:
            return


def is_whole(clause: KeyClause, part: TemplateField) -> bool:
    """Whether a clause compares the whole text of a part: with `=`, or before other text of a `begins_with`."""
    return clause.operator == "=" or (clause.operator == "begins_with" and bool(part.stop))


def shard_range(layout: Layout, part: TemplateField) -> tuple[int, int] | None:
    """The first and the last shard that a part of a key distributes items over; None if it is not known.

    Shards are those of `shard(n)`, or the bounds of an integer field whose name contains `shard` or `bucket`.
    """
    if isinstance(part.key_format, Shard):
        return 0, part.key_format.count - 1
    info = layout.entity.model_fields.get(part.name)
    if info is None or not any(word in part.name for word in _SHARD_NAMES):
        return None
    plain, within = plain_type(info.annotation)
    low, high = integer_bounds((*info.metadata, *within))
    return (low or 0, high) if plain is int and high is not None else None


@cache
def shard_parameters(pattern: type[PatternSettings]) -> dict[str, tuple[int | str, ...]]:
    """The parameters of a pattern that select a shard of its partition, each with all its values."""
    plan: Plan = pattern.__plan__  # type: ignore[attr-defined]
    parameters: dict[str, tuple[int | str, ...]] = {}
    for part in _partition_parts(plan):
        name = part.parameter.name
        shards = shard_range(part.layout, part.written)
        if shards is None or isinstance(part.parameter.key_format, Shard):
            continue
        numbers: Iterable[int] = range(shards[0], min(shards[1], shards[0] + MOST_REQUESTS) + 1)
        width = len(part.written.shape)
        is_text = parameter_type(pattern, plan.kind, name) is str
        values = tuple(str(number).zfill(width) if is_text else number for number in numbers)
        parameters[name] = max(parameters.get(name, ()), values, key=len)
    return parameters


def partition_parameters(pattern: type[PatternSettings]) -> frozenset[str]:
    """The parameters that select the partition."""
    plan: Plan = pattern.__plan__  # type: ignore[attr-defined]
    return frozenset(name for clause in plan.partition_clauses for name in clause.names)


def each_shard(pattern: type[PatternSettings], parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The parameters of one request for each shard."""
    shards = shard_parameters(pattern)
    if not shards:
        raise UsageError(
            f"{pattern.__name__} has no parameter for a shard: shards() is for a key such as "
            '"POSTS#{post_id:shard(8)}", read with "... = POSTS#{shard}"'
        )
    _require_free(pattern, "shards", shards, parameters)
    for values in product(*shards.values()):
        yield parameters | dict(zip(shards, values, strict=True))


def each_period(
    pattern: type[PatternSettings], start: date, end: date, parameters: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """The parameters of one request for each period between two times, both included, in the order of the pattern."""
    plan: Plan = pattern.__plan__  # type: ignore[attr-defined]
    name, calendar, part = _period(plan)
    _require_free(pattern, "between", [name], parameters)
    first, last = _utc_time("start", start, time.min), _utc_time("end", end, time.max)
    if first > last:
        raise UsageError(f"{plan.name}.between(): end = {end} is before start = {start}")
    kind = parameter_type(pattern, plan.kind, name)
    values: dict[Any, None] = {}
    for begin in calendar.periods(first, last):
        values[_period_value(kind, part, begin)] = None
        if len(values) > MOST_REQUESTS:
            raise UsageError(
                f"{plan.name}.between() would make more than {MOST_REQUESTS} requests; give a shorter time"
            )
    for value in reversed(values) if pattern.descending else values:
        yield parameters | {name: value}


def _partition_parts(plan: Plan) -> Iterator[FilledPart]:
    partition = {clause.attribute for clause in plan.partition_clauses}
    return (part for part in filled_parts(plan) if part.attribute in partition)


def _period(plan: Plan) -> tuple[str, Calendar, TemplateField]:
    """The parameter that fills a part of a time, with its format and the part."""
    periods = {}
    for part in _partition_parts(plan):
        field = part.layout.field(part.written.name)
        text = part.written.time_text
        if part.written.key_format is None and field is not None:
            text = natural_text(field.annotation)
        if text and "%f" not in text:
            periods[part.parameter.name] = (part.parameter.name, Calendar(text), part.written)
    if len(periods) != 1:
        count = "no parameter" if not periods else f"several parameters ({', '.join(periods)})"
        raise UsageError(
            f"{plan.name} has {count} for a part of a time: between() is for one, as in the key "
            '"LOG#{at:%Y-%m}", read with "... = LOG#{month}"'
        )
    return next(iter(periods.values()))


def _period_value(kind: Any, part: TemplateField, begin: datetime) -> Any:
    """The beginning of a period in the type of the parameter."""
    if is_a(kind, datetime):
        return begin
    if is_a(kind, date):
        return begin.date()
    value = begin if part.key_format else begin.date()
    text = part.render(value)
    return int(text) if kind is int else text


def _utc_time(name: str, value: date, of_day: time) -> datetime:
    if isinstance(value, datetime):
        return aware(name, value).astimezone(UTC)
    if not isinstance(value, date):
        raise UsageError(f"{name} must be a datetime or a date, got {value!r}")
    return datetime.combine(value, of_day, UTC)


def _require_free(
    pattern: type[PatternSettings], method: str, names: Iterable[str], parameters: dict[str, Any]
) -> None:
    for name in names:
        if name in parameters:
            raise UsageError(f"{pattern.__name__}.{method}() gives all values of {name}; leave {name} out")
