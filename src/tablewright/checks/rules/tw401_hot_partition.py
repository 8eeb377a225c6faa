"""A partition receives more requests than it supports.

All items of one partition key value share the throughput of a partition: 1,000 write units and 3,000 read units a
second, whatever the capacity of the table. A constant, a status or a day as partition key puts all writes into one
partition, or into a few; in an index, that throttles the writes of the table too. Distribute the key over shards
(`"OPEN#{shard}"`), or remove the index if it is rarely read.

The load is computed from the declarations: `Expect(writes=PerSecond(...), size=...)` of the entity, and `rate` and
`expected_items` of a pattern, divided evenly by the number of key values (known for enums, literals and dates;
otherwise `fields.Cardinality(n)`). Over the limit it is an error, over half of it a warning. Without a declared rate,
only a constant key is a warning, unless `Expect(items=...)` is at most 1,000. In tables declared with `literal=True`,
which have no rates, a key with very few values, or with one value at a time, is a warning too.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, Severity
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design
from tablewright.design.layouts.field_values import is_time_field, value_count
from tablewright.design.layouts.layouts import FieldLayout
from tablewright.design.plans.plans import Plan, parameter_field
from tablewright.dynamodb.values.capacity import PARTITION_READS, PARTITION_WRITES, read_units, write_units

CODE = "TW401"
TITLE = "Hot partition"

_FEW = 20
_SMALL = 1000
_TYPICAL = 1024
"""Bytes of an item whose size is not declared."""


def check(design: Design) -> Iterator[Finding]:
    """The load of every key that is written, and of every pattern that has a rate."""
    for written in written_keys(design):
        finding = _written(written)
        if finding is not None:
            yield finding
    for plan in design.plans:
        finding = _read(plan)
        if finding is not None:
            yield finding


def _written(written: WrittenKey) -> Finding | None:
    fields = written.fields_in(written.partition)
    named = {field.name: field for field in fields}
    count = value_count(
        (part, named[part.name]) for _, template in written.partition for part in template.fields
    )
    if count is None:
        return None
    expect = written.layout.expect
    if expect.writes is None:
        small = expect.items is not None and expect.items <= _SMALL
        few = (
            count <= _FEW
            if written.layout.table.literal
            else count == 1 and not any(map(is_time_field, fields))
        )
        return _without_rate(written, _shown(count, fields)) if few and not small else None
    load = expect.writes.per_second * write_units(expect.size or _TYPICAL) / count
    severity = _severity(load, PARTITION_WRITES)
    if severity is None:
        return None
    return _finding(
        written,
        severity,
        f"{expect.writes.per_second:,.0f} writes a second go to {_shown(count, fields)}: {load:,.0f} write units "
        f"a second on each, and a partition supports {PARTITION_WRITES:,}",
        "distribute the key over shards",
    )


def _without_rate(written: WrittenKey, where: str) -> Finding:
    return _finding(
        written,
        "warning",
        f"all writes go to {where}, and a partition supports {PARTITION_WRITES:,} write units a second",
        "distribute the key over shards, or declare the rate: expect=Expect(writes=PerSecond(...))",
    )


def _finding(written: WrittenKey, severity: Severity, why: str, fix: str) -> Finding:
    key = " / ".join(f'"{template.text}"' for _, template in written.partition)
    where = written.owner if written.index is None else f"{written.owner}.{written.index.name}"
    return Finding(
        CODE,
        severity,
        where,
        f"{written.owner} has the partition key {key} in {written.place}: {why}",
        fix,
        written.layout.entity,
    )


def _read(plan: Plan) -> Finding | None:
    if plan.pattern.rate is None or plan.kind in ("scan", "nearest"):
        return None
    parts = [part for clause in plan.partition_clauses for part in clause.templates[0].fields]
    fields = [parameter_field(plan, part.name) for part in parts]
    count = value_count(zip(parts, fields, strict=True))
    size = max(layout.expect.size or _TYPICAL for layout in plan.layouts) * (plan.pattern.expected_items or 1)
    units = plan.pattern.rate.per_second * read_units(size, consistent=plan.pattern.consistent)
    severity = None if count is None else _severity(units / count, PARTITION_READS)
    if count is None or severity is None:
        return None
    return Finding(
        CODE,
        severity,
        plan.name,
        f"{plan.name} reads {_shown(count, fields)}, {plan.pattern.rate.per_second:,.0f} times a second: "
        f"{units / count:,.0f} read units a second on each, and a partition supports {PARTITION_READS:,}",
        "distribute the key over shards, or cache the result",
        plan.pattern,
    )


def _severity(load: float, most: int) -> Severity | None:
    if load > most:
        return "error"
    return "warning" if load > most / 2 else None


def _shown(count: int, fields: list[FieldLayout]) -> str:
    if count == 1:
        return "one partition at a time" if any(map(is_time_field, fields)) else "one partition"
    return f"{count:,} partitions"
