"""Key conditions: the `key` line of an access pattern, as a design document writes it.

PK = STARTUP#{startup_id}
GSI1PK = ROLE#{role}, begins_with(GSI1SK, 'USER#')
PK = STARTUP#{startup_id} AND SK begins_with ROLE#
accountId = {account_id} AND timestamp#eventId BETWEEN {start} AND {end}

Documents join clauses with a comma or with AND, write begins_with as a function or as an operator, and quote values or
not: all of these are accepted.
"""

import re
from typing import Literal

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.templates import Part, Template
from tablewright.errors import DesignError

KeyOperator = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]

_VALUE = r"'[^']+'|\"[^\"]+\"|(?:\{[^}]*\}|[^\s,])+"
_PREFIX = re.compile(
    r"begins_with\s*\(\s*(?P<attribute>[^,\s]+)\s*,\s*(?P<low>'[^']+'|\"[^\"]+\"|(?:\{[^}]*\}|[^)])*?)\s*\)",
    re.IGNORECASE,
)
_PREFIX_OPERATOR = re.compile(rf"(?P<attribute>\S+)\s+begins_with\s+(?P<low>{_VALUE})", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"(?P<attribute>\S+)\s+BETWEEN\s+(?P<low>{_VALUE})\s+AND\s+(?P<high>{_VALUE})", re.IGNORECASE
)
_COMPARISON = re.compile(rf"(?P<attribute>[^\s=<>]+)\s*(?P<operator><=|>=|=|<|>)\s*(?P<low>{_VALUE})")
_JOIN = re.compile(r"\s*,\s*|\s+AND\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KeyClause:
    """The condition on one key attribute."""

    attribute: str
    operator: KeyOperator
    templates: tuple[Template, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters it needs."""
        return tuple(name for template in self.templates for name in template.names)

    def may_match(self, template: Template) -> bool:
        """Whether a key written by the template can match, as far as the literal text shows."""
        if self.operator not in ("=", "begins_with"):
            return True
        prefix = self.templates[0].prefix
        return template.prefix.startswith(prefix) or prefix.startswith(template.prefix)

    def has_form_of(self, template: Template) -> bool:
        """Whether it has fields and literal text where the template has them; always for ranges."""
        if self.operator not in ("=", "begins_with"):
            return True
        mine, theirs = self.templates[0].parts, template.parts
        if len(mine) > len(theirs) or (self.operator == "=" and len(mine) < len(theirs)):
            return False
        open_end = len(mine) - 1 if self.operator == "begins_with" else -1
        return all(
            _same_form(part, other, is_prefix=position == open_end)
            for position, (part, other) in enumerate(zip(mine, theirs, strict=False))
        )

    def has_text_of(self, template: Template) -> bool:
        """Whether it is written as the template is, with the same field names; always for ranges."""
        if self.operator not in ("=", "begins_with"):
            return True
        text = self.templates[0].text
        return template.text == text or (self.operator == "begins_with" and template.text.startswith(text))

    def __str__(self) -> str:
        texts = [template.text for template in self.templates]
        match self.operator:
            case "begins_with":
                return f"begins_with({self.attribute}, {texts[0]})"
            case "BETWEEN":
                return f"{self.attribute} BETWEEN {texts[0]} AND {texts[1]}"
            case _:
                return f"{self.attribute} {self.operator} {texts[0]}"


def parse_key_line(line: str) -> tuple[KeyClause, ...]:
    """The clauses of a key condition.

    >>> [str(clause) for clause in parse_key_line("PK = USER#{id} and begins_with(SK, ORDER#)")]
    ['PK = USER#{id}', 'begins_with(SK, ORDER#)']
    >>> [str(clause) for clause in parse_key_line("PK = USER#{id}, SK begins_with 'ORDER#'")]
    ['PK = USER#{id}', 'begins_with(SK, ORDER#)']
    >>> [str(clause) for clause in parse_key_line('PK = "USER#{id}" AND SK = "PROFILE"')]
    ['PK = USER#{id}', 'SK = PROFILE']
    """
    clauses = []
    rest = line.strip()
    if "==" in rest:
        raise DesignError(f'the key condition "{line}" has ==, which is not an operator of DynamoDB; write =')
    while True:
        clause, rest = _clause(rest, line)
        clauses.append(clause)
        if not rest:
            return tuple(clauses)
        join = _JOIN.match(rest)
        if join is None:
            raise DesignError(
                f'the key condition "{line}" is invalid at "{rest.strip()}"; join clauses with AND or a comma'
            )
        rest = rest[join.end() :]


def _same_form(part: Part, other: Part, *, is_prefix: bool) -> bool:
    if isinstance(part, str) and isinstance(other, str):
        return part == other or (is_prefix and other.startswith(part))
    return isinstance(part, str) == isinstance(other, str)


def _clause(text: str, line: str) -> tuple[KeyClause, str]:
    for form in (_PREFIX, _PREFIX_OPERATOR, _BETWEEN, _COMPARISON):
        match = form.match(text)
        if match is None:
            continue
        parts = match.groupdict()
        operator: KeyOperator = parts.get("operator") or ("BETWEEN" if "high" in parts else "begins_with")  # type: ignore[assignment]
        templates = tuple(Template(parts[name].strip("'\"")) for name in ("low", "high") if name in parts)
        return KeyClause(match["attribute"], operator, templates), text[match.end() :]
    raise DesignError(
        f'the key condition "{line}" is invalid at "{text}"; write clauses such as PK = USER#{{user_id}}, '
        "begins_with(SK, ORDER#) or SK BETWEEN {start} AND {end}"
    )
