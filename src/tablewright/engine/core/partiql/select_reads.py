"""The reads of a SELECT: one item by its key, ranges of a few partitions, or the whole table.

The WHERE clause decides. When it fixes the hash key, the statement is one query for each branch; when it does
not, it is a scan with a filter.
"""

from typing import NamedTuple

from tablewright.dynamodb.expressions import ItemCondition, KeyRange
from tablewright.dynamodb.expressions.partiql import Select
from tablewright.dynamodb.expressions.partiql.where_keys import Branch, KeyReader
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.dynamodb.values.key_bytes import key_bytes
from tablewright.engine.core.partiql.statement_writes import require_key_types
from tablewright.engine.core.reads.key_ranges import EVERYTHING, Span, span_of
from tablewright.engine.core.reads.read_sources import ReadSource, require_built
from tablewright.engine.core.reads.selections import Selection
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.key_schema import KeySchema, empty_key
from tablewright.errors import ValidationError

_INVALID = "One or more parameter values were invalid: "


class ReadPlan(NamedTuple):
    """The spans to read, in order, and the selection of their rows."""

    source: ReadSource
    spans: list[Span]
    selection: Selection
    keyed: bool
    backward: bool


class _Range(NamedTuple):
    """A span of one partition. It is `loose` when a filter tests the key too, as `sk <> 'x'` does."""

    hash_key: bytes
    span: Span
    loose: bool

    def reaches(self, other: "_Range") -> bool:
        """Whether this range overlaps or touches another range, which does not begin before it."""
        return self.span.high is None or other.span.low < self.span.high

    def merged(self, other: "_Range") -> "_Range":
        """The union of two ranges of the same partition."""
        ends = (self.span.high, other.span.high)
        high = None if None in ends else max(filter(None, ends))
        return _Range(self.hash_key, Span(self.span.low, high), True)


def source_of_select(tx: Reading, statement: Select, *, consistent: bool) -> ReadSource:
    """The table or index that a SELECT names, if PartiQL can read it."""
    table = tx.table(statement.table)
    if statement.index is None:
        return ReadSource(table)
    index = table.index(statement.index)
    if index is None and table.other_index(statement.index) is not None:
        raise ValidationError("Scan operation not supported on this index type")
    if index is None:
        raise ValidationError("The table does not have the specified index")
    require_built(index)
    if len(index.keys.hash) > 1 or len(index.keys.range) > 1:
        raise ValidationError(
            "PartiQL statements cannot be executed on tables with multi-attribute HASH keys "
            "or multi-attribute RANGE keys."
        )
    if consistent and index.kind == "global":
        raise ValidationError("Strongly consistent read is not supported on Global Secondary Indexes")
    return ReadSource(table, index)


def plan_of(source: ReadSource, statement: Select) -> ReadPlan:
    """The read plan of a SELECT."""
    branches = _branches(source.keys, statement)
    if branches is None:
        _reject_order(statement)
        spans, backward = [EVERYTHING], False
    else:
        for branch in branches:
            _require_key_values(source.keys, branch)
        ranges = _ranges(source.keys, branches)
        _require_filters_held(source, branches)
        spans, backward = _ordered(source.keys, statement, ranges)
    selection = Selection(None, statement.projection(), _filter(statement, branches))
    selection.require_projected(source)
    for expression in (selection.projection, selection.filter):
        if expression is not None:
            source.table.require_scalar_keys(expression.nested_attributes)
    return ReadPlan(source, spans, selection, branches is not None, backward)


def single_key(table: StoredTable, statement: Select) -> Item | None:
    """The key of the one item that a SELECT names, if it has no other condition."""
    branches = _branches(table.keys, statement)
    if branches is None:
        return None
    if all(_fits(table.keys, branch) for branch in branches):
        _ranges(table.keys, branches)
    if len(branches) != 1 or branches[0].filters:
        return None
    values = [branches[0].hash_values]
    if table.keys.range:
        if any(test.operator != "=" for test in branches[0].range_tests):
            return None
        values.append(tuple(test.operands[0] for test in branches[0].range_tests))
    if not all(equal and all(value == equal[0] for value in equal) for equal in values):
        return None
    return {name: equal[0] for name, equal in zip(table.keys.names, values, strict=True)}


def _branches(keys: KeySchema, statement: Select) -> tuple[Branch, ...] | None:
    return KeyReader(keys.hash[0], keys.range[0] if keys.range else None).branches(statement.where)


def _values(keys: KeySchema, branch: Branch) -> list[tuple[str, AttributeValue]]:
    """The values that a branch compares with key attributes, with the names of the attributes."""
    values = [(keys.hash[0], value) for value in branch.hash_values]
    return values + [(keys.range[0], value) for test in branch.range_tests for value in test.operands]


def _fits(keys: KeySchema, branch: Branch) -> bool:
    return all(keys.types[name] in value for name, value in _values(keys, branch))


def _require_key_values(keys: KeySchema, branch: Branch) -> None:
    for name, value in _values(keys, branch):
        require_key_types(keys.types, {name: value})
        kind = keys.types[name]
        if not value[kind]:
            raise ValidationError(
                f"One or more parameter values are not valid. {empty_key(kind)} Key: {name}"
            )


def _filter(statement: Select, branches: tuple[Branch, ...] | None) -> ItemCondition | None:
    """The condition to check for each row; None when every row of the spans matches."""
    if statement.where is None or (branches is not None and not any(branch.filters for branch in branches)):
        return None
    return ItemCondition.of(statement.where)


def _ranges(keys: KeySchema, branches: tuple[Branch, ...]) -> list[_Range]:
    """The spans of the branches, sorted by partition and key; empty spans are left out."""
    ranges = list(filter(None, (_range(keys, branch) for branch in branches)))
    apart: list[_Range] = []
    for part in sorted(ranges, key=lambda part: (part.hash_key, part.span.low)):
        last = apart[-1] if apart else None
        if last is None or last.hash_key != part.hash_key or not last.reaches(part):
            apart.append(part)
        elif last.loose or part.loose:
            apart[-1] = last.merged(part)
        else:
            raise ValidationError("Overlapping conditions with range keys are not supported in where clause")
    return apart


def _range(keys: KeySchema, branch: Branch) -> _Range | None:
    hash_value = branch.hash_values[0]
    if any(value != hash_value for value in branch.hash_values):
        return None
    span = span_of(KeyRange((hash_value,)))
    for test in branch.range_tests:
        equal = test.operator == "="
        prefix, operator = (test.operands, None) if equal else ((), test.operator)
        narrower = span_of(KeyRange((hash_value,), prefix, operator, () if equal else test.operands))
        span = Span(max(span.low, narrower.low), _lower(span.high, narrower.high))
    if span.is_empty:
        return None
    return _Range(key_bytes(hash_value), span, not set(keys.names).isdisjoint(branch.filtered))


def _lower(one: bytes | None, other: bytes | None) -> bytes | None:
    return min(filter(None, (one, other)), default=None)


def _reject_order(statement: Select) -> None:
    if statement.order:
        raise ValidationError(
            "Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause."
        )


def _ordered(keys: KeySchema, statement: Select, ranges: list[_Range]) -> tuple[list[Span], bool]:
    """The spans in the order of ORDER BY, and whether each is read backward."""
    descending = {entry.attribute: entry.descending for entry in statement.order}
    for name in descending:
        if name not in keys.names:
            raise ValidationError(
                f"Variable reference {name} in ORDER BY clause must be part of the primary key"
            )
    hash_name = keys.hash[0]
    if descending and hash_name not in descending and len({part.hash_key for part in ranges}) > 1:
        raise ValidationError(
            "Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause."
        )
    backward = bool(keys.range) and descending.get(keys.range[0], False)
    ranges = sorted(ranges, key=lambda part: part.span.low, reverse=backward)
    ranges.sort(key=lambda part: part.hash_key, reverse=descending.get(hash_name, False))
    return [part.span for part in ranges], backward


def _require_filters_held(source: ReadSource, branches: tuple[Branch, ...]) -> None:
    """Reject filters on attributes that an index does not contain, unless some branch needs no such filter."""
    if source.index is None:
        return
    missing: list[str] = []
    for branch in sorted(branches, key=lambda branch: key_bytes(branch.hash_values[0])):
        missing = [name for name in branch.filtered if not source.has_attribute(name)]
        if not missing:
            return
    shown = ", ".join(_hashed(missing))
    raise ValidationError(
        f"{_INVALID}Secondary index {source.index.name} does not project one or more filter attributes: [{shown}]"
    )


def _hashed(names: list[str]) -> list[str]:
    """Names in the iteration order of Java's HashSet, in which AWS prints them here."""
    buckets = 16
    while len(names) > buckets * 3 // 4:
        buckets *= 2
    return sorted(names, key=lambda name: _bucket(name, buckets))


def _bucket(name: str, buckets: int) -> int:
    code = 0
    for unit in memoryview(name.encode("utf-16-le")).cast("H"):
        code = (code * 31 + unit) & 0xFFFFFFFF
    return (code ^ (code >> 16)) & (buckets - 1)
