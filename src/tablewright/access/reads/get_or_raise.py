"""Read one entity that must exist."""

from typing import Any

from tablewright.access.calls.procedures import Procedure
from tablewright.access.otherwise import Otherwise, replacement
from tablewright.access.reads.combined_read import CombinedRead
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.fields.masking import masked_values
from tablewright.design.patterns.patterns import Pattern
from tablewright.errors import DoesNotExist, UsageError


def get_or_raise(
    read: PatternRead | CombinedRead,
    pattern: Pattern[Any],
    otherwise: Otherwise | None,
    include_expired: bool,
) -> Procedure[Any]:
    """Run a `Get` or `Find`; return the entity, or raise `DoesNotExist` or the caller's exception."""
    if isinstance(read, CombinedRead) or read.plan.kind not in ("get", "find"):
        name = type(pattern).__name__
        raise UsageError(
            f"{name} is a {read.kind} and returns many entities; get_or_raise takes a Get or a Find"
        )
    entity = yield from read.run(pattern, None, None, include_expired)
    if entity is not None:
        return entity
    error = does_not_exist(read, pattern)
    raise error if otherwise is None else replacement(otherwise, error)


def does_not_exist(read: PatternRead, pattern: Pattern[Any]) -> DoesNotExist:
    """Return the error of a read that found no entity: its class, and the parameters; secret ones are masked."""
    layouts = read.plan.layouts
    secrets = frozenset[str]().union(*(layout.secrets for layout in layouts))
    names = " or ".join(layout.entity.__name__ for layout in layouts)
    return DoesNotExist(names, masked_values(secrets, pattern.__dict__), "does not exist")
