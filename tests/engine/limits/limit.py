"""A documented limit as data: what is limited, to which values, and a request for any value.

`problems` sends the request one below, at, and one above each end of the allowed range. `LIMITS` in `all_limits` has
every limit; docs/reference/limits.md shows them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

Request: TypeAlias = dict[str, Any]
Reply: TypeAlias = Mapping[str, Any]
Call: TypeAlias = Callable[[str, Request], Reply]


class Rejected(Exception):
    """The call was rejected with a code and a message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Limit:
    """A range of values that is accepted; values outside of it are rejected."""

    topic: str
    name: str
    """What is limited, as the documentation says it."""
    send: Callable[[Call, int], object]
    """Make a request with that value; raises Rejected."""
    least: int | None = None
    most: int | None = None
    unit: str = ""
    code: str = "ValidationException"
    below: str = ""
    """A part of the message for a value that is too small."""
    above: str = ""
    """A part of the message for a value that is too large."""
    cuts: bool = False
    """Whether a larger value is accepted and the reply shortened: `send` raises Cut then."""
    shown: str = ""
    """The range as the documentation shows it, when the numbers alone would be hard to read."""

    @property
    def id(self) -> str:
        return f"{self.topic}: {self.name}"

    @property
    def values(self) -> str:
        """The accepted values, as the documentation shows them."""
        unit = f" {self.unit}" if self.unit else ""
        if self.shown:
            return f"up to {self.shown}"
        if self.most is None:
            return f"{self.least} or more{unit}"
        return f"up to {self.most:,}{unit}" if self.least is None else f"{self.least} to {self.most:,}{unit}"

    def shifted(self) -> Iterator["Limit"]:
        """The same limit with one end moved by one, in each direction: each must be found to be wrong."""
        for step in (-1, 1):
            if self.most is not None:
                yield replace(self, most=self.most + step)
            if self.least is not None and (self.least + step >= 0 or self.below):
                yield replace(self, least=self.least + step)


class Cut(Exception):
    """The reply has less than was requested, as it should beyond the limit."""


def problems(limit: Limit, call: Call) -> list[str]:
    """What differs from the limit: accepted values outside of it, rejected values inside, and wrong messages."""
    return [
        f"{limit.id}: {value} {problem}"
        for value, is_inside, message in _cases(limit)
        if (problem := _problem(limit, call, value, is_inside, message))
    ]


def _cases(limit: Limit) -> Iterator[tuple[int, bool, str]]:
    if limit.least is not None:
        if limit.least > 0 or limit.below:
            yield limit.least - 1, False, limit.below
        yield limit.least, True, ""
    if limit.most is not None:
        yield limit.most - 1, True, ""
        yield limit.most, True, ""
        yield limit.most + 1, False, limit.above


def _problem(limit: Limit, call: Call, value: int, is_inside: bool, message: str) -> str:
    try:
        limit.send(call, value)
    except Rejected as error:
        if is_inside:
            return f"was rejected: {str(error)[:300]}"
        if error.code != limit.code or message not in error.message:
            return f"was rejected with another error: {str(error)[:300]}"
        return "was rejected, but the reply should be cut" if limit.cuts else ""
    except Cut:
        return "was cut" if is_inside or not limit.cuts else ""
    return "" if is_inside else "was accepted"


def calling(operation: str, request: Callable[[int], Request]) -> Callable[[Call, int], object]:
    """The `send` of a limit that one request reaches."""
    return lambda call, value: call(operation, request(value))
