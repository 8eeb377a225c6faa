"""Condition operators: how one value of a policy is compared with one value of a request.

An operator has a reader, which validates and converts the value in the policy once, and a test. A negated operator
(`StringNotEquals`) has the same test: the condition holds when no value matches (see `policy_conditions`).
"""

import ipaddress
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from operator import eq, ge, gt, le, lt
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.policies.policy_texts import Pattern, PolicyText, is_match, wildcards
from tablewright.dynamodb.policies.principals import RequestContext
from tablewright.errors import PolicyError

Test = Callable[[Any, str, RequestContext], bool]
Reader = Callable[[PolicyText], Any]


@dataclass(frozen=True, slots=True)
class Operator:
    """One condition operator, without qualifier and suffix."""

    name: str
    read: Reader
    test: Test
    is_negated: bool = False
    has_variables: bool = False
    """Whether its values can contain policy variables: those of texts and ARNs can."""


def number(text: str) -> Decimal:
    """The number that a text stands for; raises ValueError."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError(text) from None
    if not value.is_finite():
        raise ValueError(text)
    return value


def seconds(text: str) -> float:
    """The seconds since 1970 of an ISO 8601 date or of a number of seconds; raises ValueError.

    >>> seconds("1970-01-02T00:00:00Z"), seconds("60")
    (86400.0, 60.0)
    """
    if text.isdigit():
        return float(text)
    time = datetime.fromisoformat(text)
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def truth(text: str) -> bool:
    """The value of `true` or `false`; raises ValueError."""
    if text.lower() not in ("true", "false"):
        raise ValueError(text)
    return text.lower() == "true"


def _plain(value: PolicyText) -> PolicyText:
    return value


def _reader(convert: Callable[[str], Any], kind: str) -> Reader:
    def read(value: PolicyText) -> Any:
        try:
            return convert(value.raw)
        except ValueError:
            raise PolicyError(f"{value.raw!r} is not {kind}") from None

    return read


def _comparison(convert: Callable[[str], Any], compare: Callable[[Any, Any], bool]) -> Test:
    def test(expected: Any, value: str, context: RequestContext) -> bool:
        try:
            return compare(convert(value), expected)
        except ValueError:
            return False

    return test


def _equals(expected: PolicyText, value: str, context: RequestContext) -> bool:
    return expected.text(context) == value


def _equals_ignoring_case(expected: PolicyText, value: str, context: RequestContext) -> bool:
    text = expected.text(context)
    return text is not None and text.lower() == value.lower()


def _like(expected: PolicyText, value: str, context: RequestContext) -> bool:
    return expected.matches(value, context)


def _arn_like(arn: PolicyText, value: str, context: RequestContext) -> bool:
    pattern = arn.pattern(context)
    if pattern is None:
        return False
    expected, parts = _segments(pattern), _segments(tuple(value))
    return len(expected) == len(parts) == 6 and all(
        is_match(one, "".join(map(str, other))) for one, other in zip(expected, parts, strict=True)
    )


def _segments(pattern: Pattern) -> list[Pattern]:
    """The six parts of an ARN; the last may contain colons."""
    parts: list[Pattern] = []
    start = 0
    for place, sign in enumerate(pattern):
        if sign == ":" and len(parts) < 5:
            parts.append(pattern[start:place])
            start = place + 1
    return [*parts, pattern[start:]]


def _arn(value: PolicyText) -> PolicyText:
    if not value.has_variables and len(_segments(wildcards(value.raw))) < 6 and value.raw != "*":
        raise PolicyError(f"{value.raw!r} is not an ARN")
    return value


def _network(text: str) -> Any:
    return ipaddress.ip_network(text, strict=False)


def _is_in(network: Any, value: str, context: RequestContext) -> bool:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return address.version == network.version and address in network


def _ordered(kind: str, convert: Callable[[str], Any], noun: str) -> list[Operator]:
    """The six operators of an ordered type."""
    read = _reader(convert, noun)
    comparisons = {
        "LessThan": lt,
        "LessThanEquals": le,
        "GreaterThan": gt,
        "GreaterThanEquals": ge,
        "Equals": eq,
    }
    operators = [
        Operator(kind + name, read, _comparison(convert, test)) for name, test in comparisons.items()
    ]
    return [*operators, Operator(f"{kind}NotEquals", read, _comparison(convert, eq), is_negated=True)]


def _texts(kind: str, read: Reader, tests: dict[str, tuple[str, Test]]) -> list[Operator]:
    """The operators of texts and ARNs, each with its negation."""
    return [
        Operator(kind + name, read, test, is_negated=is_negated, has_variables=True)
        for positive, (negative, test) in tests.items()
        for name, is_negated in ((positive, False), (negative, True))
    ]


_STRINGS: dict[str, tuple[str, Test]] = {
    "Equals": ("NotEquals", _equals),
    "EqualsIgnoreCase": ("NotEqualsIgnoreCase", _equals_ignoring_case),
    "Like": ("NotLike", _like),
}
_ARNS: dict[str, tuple[str, Test]] = {"Equals": ("NotEquals", _arn_like), "Like": ("NotLike", _arn_like)}
_ADDRESS = _reader(_network, "an IP address or range")

OPERATORS = {
    operator.name.lower(): operator
    for operator in (
        *_texts("String", _plain, _STRINGS),
        *_ordered("Numeric", number, "a number"),
        *_ordered("Date", seconds, "a date"),
        Operator("Bool", _reader(truth, "true or false"), _comparison(truth, eq)),
        Operator("BinaryEquals", _plain, _equals),
        Operator("IpAddress", _ADDRESS, _is_in),
        Operator("NotIpAddress", _ADDRESS, _is_in, is_negated=True),
        *_texts("Arn", _arn, _ARNS),
    )
}
"""All operators but Null, by name in lower case."""
