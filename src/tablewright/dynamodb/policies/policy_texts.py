"""Policy texts: wildcards and policy variables in the values of a policy.

    *  ?               any characters, one character
    ${aws:username}    the value of a condition key of the request
    ${aws:username, 'guest'}   the same with a default
    ${*} ${?} ${$}     these characters themselves

A variable whose key the request does not have, or has with several values, makes the text match nothing. The value of a
variable is literal: a tag with the value `*` matches only `*`. Documents of version 2008-10-17 have no variables.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.policies.principals import RequestContext

_VARIABLE = re.compile(r"\$\{\s*([^},']+?)\s*(?:,\s*'([^']*)'\s*)?\}")
_LITERALS = {"*", "?", "$"}


class _Wildcard:
    """A wildcard among the characters of a pattern."""

    def __init__(self, sign: str) -> None:
        self._sign = sign

    def __repr__(self) -> str:
        return self._sign


ANY: Final = _Wildcard("*")
ONE: Final = _Wildcard("?")
Pattern = tuple[str | _Wildcard, ...]
"""Characters and wildcards."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A policy variable: a condition key, and a default."""

    key: str
    default: str | None = None


@dataclass(frozen=True, slots=True)
class PolicyText:
    """A value of a policy, with its wildcards and variables.

    >>> own = PolicyText.parse("USER#${aws:username}#*")
    >>> own.matches("USER#ada#1", RequestContext({"aws:username": "ada"}))
    True
    >>> own.matches("USER#ada#1", RequestContext({"aws:username": "*"}))
    False
    """

    raw: str
    parts: tuple[str | Variable, ...]
    """Texts with wildcards, and variables. A variable without a key is a literal character: its default."""

    @classmethod
    def parse(cls, raw: str, *, has_variables: bool = True) -> "PolicyText":
        """Find the variables of a text; without `has_variables`, the text has none."""
        parts: list[str | Variable] = []
        position = 0
        for match in _VARIABLE.finditer(raw) if has_variables else ():
            parts.append(raw[position : match.start()])
            key = match[1]
            parts.append(Variable("", key) if key in _LITERALS else Variable(key, match[2]))
            position = match.end()
        return cls(raw, tuple(part for part in (*parts, raw[position:]) if part != ""))

    @property
    def has_variables(self) -> bool:
        """Whether its value depends on the request."""
        return any(isinstance(part, Variable) for part in self.parts)

    def pattern(self, context: RequestContext) -> Pattern | None:
        """Its characters and wildcards for a request; None if the request lacks the value of a variable."""
        if not self.has_variables:
            return wildcards(self.raw)
        pattern: list[str | _Wildcard] = []
        for part in self.parts:
            if isinstance(part, str):
                pattern += wildcards(part)
                continue
            value = (context.value(part.key) if part.key else None) or part.default
            if value is None:
                return None
            pattern += value
        return tuple(pattern)

    def text(self, context: RequestContext) -> str | None:
        """Its text for a request, with wildcards as plain characters; None as for `pattern`."""
        pattern = self.pattern(context)
        return None if pattern is None else "".join(map(str, pattern))

    def matches(self, text: str, context: RequestContext) -> bool:
        """Whether a text matches, with wildcards."""
        pattern = self.pattern(context)
        return pattern is not None and is_match(pattern, text)


@lru_cache(maxsize=4096)
def wildcards(text: str) -> Pattern:
    """The characters and wildcards of a text.

    >>> wildcards("a*")
    ('a', *)
    """
    return tuple(ANY if sign == "*" else ONE if sign == "?" else sign for sign in text)


def is_match(pattern: Sequence[str | _Wildcard], text: str) -> bool:
    """Whether a whole text matches a pattern, in time proportional to the product of their lengths.

    >>> is_match(wildcards("arn:*:table/?usic"), "arn:aws:table/Music")
    True
    """
    at = place = 0
    star = resume = -1
    while place < len(text):
        if at < len(pattern) and pattern[at] is ANY:
            star, resume = at, place
            at += 1
        elif at < len(pattern) and (pattern[at] is ONE or pattern[at] == text[place]):
            at += 1
            place += 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(part is ANY for part in pattern[at:])
