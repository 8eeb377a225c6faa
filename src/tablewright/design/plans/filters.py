"""Filters: which of the items that a pattern reads it returns, as text or as a condition in Python.

    filter = "visits > {least} AND address.city = 'Berlin'"
    filter = (User.visits > fields.parameter("least")) & (User.address.city == "Berlin")

Both are compiled once, when the pattern is defined, into the same expression: fields under their stored names, every
name and value a placeholder, so that reserved words and special characters are allowed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.conditions import (
    Both,
    Comparison,
    Condition,
    FieldPath,
    FilterParameter,
    Not,
    Size,
)
from tablewright.design.fields.descriptions import condition_source
from tablewright.design.fields.markers import Hashed
from tablewright.design.layouts.compared_values import Use
from tablewright.design.layouts.condition_writer import ConditionSubject, ConditionWriter, InvalidCondition
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.limits import MAX_EXPRESSION_SIZE, MAX_PLACEHOLDER


@dataclass(frozen=True, slots=True)
class FilterComparison:
    """A parameter compared with a field."""

    parameter: str
    field: str
    annotation: Any
    use: Use


@dataclass(frozen=True, slots=True)
class Filter:
    """A compiled filter."""

    source: str
    """The filter as it was written, for messages and documents."""
    expression: str
    """With aliases `#f0`, `#f1`, ... for names, `:name` for each parameter and `:0c`, `:1c`, ... for values."""
    names: Mapping[str, str]
    """The stored name of each alias."""
    values: Mapping[str, Any]
    """The value of each alias that is not a parameter."""
    fields: tuple[str, ...]
    """The fields it uses."""
    parameters: tuple[str, ...]
    """The parameters it needs."""
    comparisons: tuple[FilterComparison, ...]
    """What each parameter is compared with."""
    equalities: tuple[str, ...]
    """The fields that it compares with a parameter or a value for equality."""


class FilterError(ValueError):
    """A filter that is invalid: the filter as it was written, why, and the fix."""

    def __init__(self, source: str, why: str, fix: str) -> None:
        self.source = source
        self.why = why
        self.fix = fix
        super().__init__(f"{why}; {fix}")


def compile_filter(written: str | Condition, layouts: Sequence[Layout]) -> Filter:
    """The filter over the fields of these entities; `FilterError` if it is invalid."""
    source = written if isinstance(written, str) else condition_source("", written)
    try:
        condition = parsed_filter(written)
        writer = _Writer(*layouts)
        expression = writer.text(condition)
    except InvalidCondition as error:
        why, _, hint = error.why.partition("; ")
        fix = error.fix or hint or "compare the field with a value that it can have"
        raise FilterError(source, error.why if error.fix else why, fix) from None
    _require_size(source, expression, writer)
    return Filter(
        source,
        expression,
        {alias: name for name, alias in writer.aliases.items()},
        writer.values,
        tuple(writer.fields),
        tuple(dict.fromkeys(comparison.parameter for comparison in writer.comparisons)),
        tuple(writer.comparisons),
        tuple(dict.fromkeys(_equalities(condition))),
    )


def parsed_filter(written: str | Condition) -> Condition:
    """The condition of a filter; `InvalidCondition` if its text is invalid."""
    if not isinstance(written, str):
        return written
    # Imported here, as DynamoDB's grammar is loaded for filters that are text only.
    from tablewright.design.plans.filter_text import parse_filter

    return parse_filter(written)


def _require_size(source: str, expression: str, writer: "_Writer") -> None:
    if len(expression) > MAX_EXPRESSION_SIZE:
        raise FilterError(
            source,
            f"a filter becomes an expression of {len(expression)} bytes, and DynamoDB accepts {MAX_EXPRESSION_SIZE}",
            "use fewer conditions, or shorter names of parameters",
        )
    for comparison in writer.comparisons:
        length = len(comparison.parameter.encode())
        if length >= MAX_PLACEHOLDER:
            raise FilterError(
                source,
                f"a filter has a parameter whose name has {length} bytes, "
                f"and DynamoDB accepts {MAX_PLACEHOLDER - 1}",
                "use a shorter name",
            )


class _Writer(ConditionWriter):
    """Writes a filter and records its names, values and parameters."""

    def __init__(self, *layouts: Layout) -> None:
        super().__init__(*layouts)
        self.aliases: dict[str, str] = {}
        self.values: dict[str, Any] = {}
        self.fields: dict[str, None] = {}
        self.comparisons: list[FilterComparison] = []

    def name(self, stored: str) -> str:
        """The alias of a stored name; the same name always has the same alias."""
        return self.aliases.setdefault(stored, f"#f{len(self.aliases)}")

    def value(self, subject: ConditionSubject, value: Any) -> str:
        """The alias of a value. It begins with a digit, as no parameter does."""
        if subject.field.marker(Hashed):
            name = subject.field.name
            raise InvalidCondition(
                f"{subject.text} is stored as a hash, and is compared with a value in the design",
                f"compare it with a parameter: {{{name}}} in text, or fields.parameter({name!r})",
            )
        alias = f":{len(self.values)}c"
        self.values[alias] = value
        return alias

    def parameter(self, subject: ConditionSubject, parameter: FilterParameter, use: Use) -> str:
        """The parameter under its own name, and the field that it is compared with."""
        name, path = parameter.name, subject.path
        if subject.field.marker(Hashed) and name != subject.field.name:
            raise InvalidCondition(
                f"{subject.text} is stored as a hash, and the parameter {name} is not hashed",
                f"call the parameter {subject.field.name}, as the field",
            )
        shown = subject.text if subject.derived else ".".join(map(str, path.parts))
        self.comparisons.append(FilterComparison(name, shown, subject.annotation, use))
        return f":{name}"

    def _path(self, path: FieldPath) -> ConditionSubject:
        subject = super()._path(path)
        self.fields[path.name] = None
        return subject


def _equalities(condition: Condition) -> list[str]:
    match condition:
        case Both(_, left, right):
            return [*_equalities(left), *_equalities(right)]
        case Not(inner):
            return _equalities(inner)
        case Comparison("=", left, right):
            fields = [side for side in (left, right) if isinstance(side, FieldPath | Size)]
            field = fields[0] if len(fields) == 1 else None
            return [field.name] if isinstance(field, FieldPath) and len(field.parts) == 1 else []
        case _:
            return []
