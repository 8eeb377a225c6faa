"""Request contexts: the condition keys of one request, with their values.

Names of condition keys are not case-sensitive. A key without values is as absent as a key that is not there: AWS calls
both a null data set.
"""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

Values: TypeAlias = str | Iterable[str]


class RequestContext:
    """The condition keys of a request.

    >>> context = RequestContext({"aws:username": "ada", "dynamodb:LeadingKeys": ["u1", "u2"]})
    >>> context.values("AWS:UserName"), context.values("dynamodb:leadingkeys"), context.values("aws:SourceIp")
    (('ada',), ('u1', 'u2'), None)
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Values]) -> None:
        self._values = {key.lower(): _listed(given) for key, given in values.items()}

    def __repr__(self) -> str:
        return f"RequestContext({self._values!r})"

    def values(self, key: str) -> tuple[str, ...] | None:
        """The values of a condition key; None if the request does not have the key."""
        return self._values.get(key.lower()) or None

    def value(self, key: str) -> str | None:
        """The only value of a condition key; None if there is none, or more than one."""
        found = self.values(key)
        return found[0] if found is not None and len(found) == 1 else None

    def merged(self, values: Mapping[str, Values]) -> "RequestContext":
        """This context with more keys; of a key in both, the given values."""
        merged = RequestContext(values)
        merged._values = self._values | merged._values
        return merged


def _listed(given: Values) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
