"""Number bounds: the limits of a number that is added to, as part of the condition of the write.

`left: Annotated[int, Field(ge=0)]` and `add={"left": -2}` require of the stored number that `left >= 2`. DynamoDB
compares and adds in one request, so that concurrent writers cannot go below zero together. Only the side to which the
sum moves is compared. A number that is not stored counts as its default.
"""

from collections.abc import Mapping
from decimal import Context, Decimal
from functools import cache
from typing import Any

from tablewright.access.condition_text import Aliases
from tablewright.access.items.item_values import to_attribute
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.annotations import plain_type
from tablewright.design.fields.markers import MARKERS
from tablewright.design.layouts.layouts import FieldLayout, Layout
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import InvalidWrite

_EXACT = Context(prec=80)
_OPERATORS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
_WORDS = {">=": "at least", ">": "more than", "<=": "at most", "<": "less than"}


@dataclass(frozen=True, slots=True)
class SumBound:
    """One limit of a sum: the stored number and the amount together must not go beyond it."""

    field: FieldLayout
    amount: Decimal
    operator: str
    """`>=`, `>`, `<=` or `<`."""
    limit: Decimal
    start: Decimal
    """The number that counts when none is stored."""

    def text(self, aliases: Aliases) -> str:
        """Return the condition on the stored number."""
        name = aliases.name(self.field.stored)
        least = _EXACT.subtract(self.limit, self.amount)
        stored = f"{name} {self.operator} {aliases.value({'N': f'{least.normalize(_EXACT):f}'})}"
        return f"attribute_not_exists({name}) OR {stored}" if self._holds(self.start) else stored

    def is_met(self, item: Item) -> bool:
        """Return whether an item leads to a sum within the limit; True where no number is stored but something else."""
        stored = item.get(self.field.stored)
        if stored is None:
            return self._holds(self.start)
        return "N" not in stored or self._holds(Decimal(stored["N"]))

    def problem(self, item: Item) -> str:
        """Say what the sum would be, and what it must be."""
        before = Decimal(item[self.field.stored]["N"]) if self.field.stored in item else self.start
        return (
            f"cannot add {self.amount} to {self.field.name}, which is {before}: "
            f"the sum must be {_WORDS[self.operator]} {self.limit}"
        )

    def _holds(self, number: Decimal) -> bool:
        total = _EXACT.add(number, self.amount)
        match self.operator:
            case ">=":
                return total >= self.limit
            case ">":
                return total > self.limit
            case "<=":
                return total <= self.limit
            case _:
                return total < self.limit


def sum_bounds(layout: Layout, amounts: Mapping[str, Any]) -> tuple[SumBound, ...]:
    """Return the limits that adding these amounts can go beyond; InvalidWrite for an amount that no sum can have."""
    bounds: list[SumBound] = []
    for name, amount in amounts.items():
        declared = declared_bounds(layout.entity, name)
        if not declared or isinstance(amount, set | frozenset):
            continue
        field, added = layout.fields[name], Decimal(str(amount))
        _require_possible(layout, name, added, declared)
        start = Decimal(value_when_absent(field, layout)["N"])
        bounds += [
            SumBound(field, added, operator, limit, start)
            for operator, limit in declared.items()
            if (added < 0 and operator[0] == ">") or (added > 0 and operator[0] == "<")
        ]
    return tuple(bounds)


@cache
def declared_bounds(entity: type[Entity], name: str) -> Mapping[str, Decimal] | None:
    """Return the limits of a field by operator; None if it is no number, or has limits of another kind."""
    info = entity.model_fields[name]
    plain, within = plain_type(info.annotation)
    if plain not in (int, Decimal):
        return None
    bounds: dict[str, Decimal] = {}
    for metadatum in (*info.metadata, *within):
        if isinstance(metadatum, MARKERS):
            continue
        limits = {
            operator: limit
            for attribute, operator in _OPERATORS.items()
            if (limit := getattr(metadatum, attribute, None)) is not None
        }
        if not limits or not all(isinstance(limit, int | Decimal) for limit in limits.values()):
            return None
        for operator, limit in limits.items():
            tighter = max if operator[0] == ">" else min
            bounds[operator] = tighter(Decimal(limit), bounds.get(operator, Decimal(limit)))
    return bounds


def value_when_absent(field: FieldLayout, layout: Layout) -> AttributeValue:
    """Return the value of a number that is not stored: its default, or zero when the default is None."""
    default = None if field.optional else layout.entity.model_fields[field.name].default
    is_number = isinstance(default, int | float | Decimal) and not isinstance(default, bool)
    return to_attribute(default) if is_number else {"N": "0"}


def _require_possible(layout: Layout, name: str, amount: Decimal, bounds: Mapping[str, Decimal]) -> None:
    """Raise for an amount that is greater than the distance between the limits."""
    lowest = max((limit for operator, limit in bounds.items() if operator[0] == ">"), default=None)
    highest = min((limit for operator, limit in bounds.items() if operator[0] == "<"), default=None)
    if lowest is not None and highest is not None and abs(amount) > highest - lowest:
        raise InvalidWrite(
            f"{layout.entity.__name__}.{name} is between {lowest} and {highest}, so {amount} can never be added to it"
        )
