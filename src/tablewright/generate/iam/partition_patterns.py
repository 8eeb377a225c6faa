"""Partition patterns: the partition keys that a role may use, as values of `dynamodb:LeadingKeys`.

    USER#{user_id}               USER#*                                   without a tenant: the literal text
    USER#{user_id}#{year}        USER#${aws:PrincipalTag/user_id}#*       limited to the tenant user_id
    ACCOUNT#{account_id:08}      ACCOUNT#${aws:PrincipalTag/account_id:08}

A key format changes the text of the tenant's id, and IAM cannot: so the tag of a formatted id is named with the format,
and has the id as it is in the key.

A key is limited to the tenant if the id is all that comes after literal text, or a separator follows it that the id
cannot contain. Text of other fields before the id could contain anything, so it limits nothing. A format that maps
several ids to one text (a shard, a case) does not limit either.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tablewright.design.keys.templates import Template, TemplateField

_SPECIAL = {"*": "${*}", "?": "${?}", "$": "${$}"}
ANY = "*"
_VARYING = re.compile(r"(?<!\$\{)\*|\$\{aws:")
"""What does not stand for itself: a wildcard, or a variable."""


@dataclass(frozen=True, slots=True)
class PartitionPattern:
    """A pattern of partition keys."""

    text: str
    is_limited: bool = False
    """Whether it matches only keys of the tenant."""

    @property
    def is_open(self) -> bool:
        """Whether it matches every key."""
        return self.text == ANY

    def overlaps(self, other: "PartitionPattern") -> bool:
        """Whether a key may match both, by the text before what varies.

        >>> PartitionPattern("USER#*").overlaps(PartitionPattern("USER#*#2026"))
        True
        """
        (one, *one_varies), (two, *two_varies) = _VARYING.split(self.text), _VARYING.split(other.text)
        if one_varies and two_varies:
            return one.startswith(two) or two.startswith(one)
        if one_varies or two_varies:
            return two.startswith(one) if one_varies else one.startswith(two)
        return one == two


def literal(text: str) -> str:
    """A text in which nothing is a wildcard or a variable.

    >>> literal("a*b")
    'a${*}b'
    """
    return "".join(_SPECIAL.get(sign, sign) for sign in text)


def tag_variable(field: TemplateField) -> str:
    """The policy variable for the tenant's id, as it is in the key."""
    key_format = f":{field.key_format.text}" if field.key_format else ""
    return f"${{aws:PrincipalTag/{field.name}{key_format}}}"


def partition_pattern(template: Template, kind: str = "S", tenant: str | None = None) -> PartitionPattern:
    """The pattern of a key template, for a key attribute of a type.

    >>> partition_pattern(Template("USER#{user_id}"), tenant="user_id")
    PartitionPattern(text='USER#${aws:PrincipalTag/user_id}', is_limited=True)
    """
    if kind == "B":
        return PartitionPattern(ANY)
    place = _tenant_place(template, tenant)
    parts = list(_parts(template, place))
    text = "".join(parts)
    while "**" in text:
        text = text.replace("**", "*")
    return PartitionPattern(text, place is not None)


def _tenant_place(template: Template, tenant: str | None) -> int | None:
    """The place of the tenant's id among the parts; None if it does not limit the key."""
    for place, part in enumerate(template.parts):
        if isinstance(part, str):
            continue
        is_exact = part.is_reversible and not part.is_part
        return place if part.name == tenant and is_exact else None
    return None


def _parts(template: Template, place: int | None) -> Iterator[str]:
    for number, part in enumerate(template.parts):
        if isinstance(part, str):
            yield literal(part)
        else:
            yield tag_variable(part) if number == place else ANY
