"""Principals: the users and roles that send requests, and whether an element `Principal` names them.

A session of a role has two names: the ARN of the role and the ARN of the session. Both name it in `Principal`, and so
does its account (the account's ID, or the ARN of its root user), and `*`.

Request contexts: the condition keys of one request, with their values.

Names of condition keys are not case-sensitive. A key without values is as absent as a key that is not there: AWS calls
both a null data set.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import IntEnum
from typing import Any, Literal, TypeAlias

from tablewright.deferred_dataclasses import dataclass

Values: TypeAlias = str | Iterable[str]


class RequestContext:
    """The condition keys of a request.

    >>> context = RequestContext({"aws:username": "ada", "dynamodb:LeadingKeys": ["u1", "u2"]})
    >>> context.values("AWS:UserName"), context.values("dynamodb:leadingkeys"), context.values("aws:SourceIp")
    (('ada',), ('u1', 'u2'), None)
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Values]) -> None:
        self._values = {key.lower(): _listed(content) for key, content in values.items()}

    def __repr__(self) -> str:
        return f"RequestContext({self._values!r})"

    def values(self, key: str) -> tuple[str, ...] | None:
        """The values of a condition key; None if the request does not have the key."""
        return self._values.get(key.lower()) or None

    def value(self, key: str) -> str | None:
        """The only value of a condition key; None if there is none, or more than one."""
        values = self.values(key)
        return values[0] if values is not None and len(values) == 1 else None

    def merged(self, values: Mapping[str, Values]) -> "RequestContext":
        """This context with more keys; of a key in both, the given values."""
        merged = RequestContext(values)
        merged._values = self._values | merged._values
        return merged


def _listed(values: Values) -> tuple[str, ...]:
    return (values,) if isinstance(values, str) else tuple(values)


class Grant(IntEnum):
    """How a resource policy names a principal; a higher grant needs less from other policies."""

    NONE = 0
    ACCOUNT = 1
    """By account: the account's own policies decide who of it."""
    ROLE = 2
    """By role, or `*`: sufficient, within the permissions boundary."""
    ITSELF = 3
    """By user or session: sufficient."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A user, or a session of a role.

    >>> Principal("role", "web", session="ada").arn
    'arn:aws:sts::123456789012:assumed-role/web/ada'
    """

    kind: Literal["user", "role"]
    name: str
    account: str = "123456789012"
    session: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def arn(self) -> str:
        """The ARN that error messages show."""
        if self.kind == "user":
            return self.identity_arn
        return f"arn:aws:sts::{self.account}:assumed-role/{self.name.rpartition('/')[2]}/{self.session}"

    @property
    def identity_arn(self) -> str:
        """The ARN of the user or of the role."""
        return f"arn:aws:iam::{self.account}:{self.kind}/{self.name}"

    @property
    def root_arn(self) -> str:
        """The ARN of the root user of the account."""
        return f"arn:aws:iam::{self.account}:root"

    def condition_keys(self) -> dict[str, str]:
        """The condition keys that describe the principal."""
        name = self.name.rpartition("/")[2]
        keys = {
            "aws:PrincipalArn": self.identity_arn,
            "aws:PrincipalAccount": self.account,
            "aws:PrincipalType": "User" if self.kind == "user" else "AssumedRole",
            "aws:PrincipalIsAWSService": "false",
            "aws:ViaAWSService": "false",
            "aws:userid": f"AIDA{name.upper()}"
            if self.kind == "user"
            else f"AROA{name.upper()}:{self.session}",
        }
        if self.kind == "user":
            keys["aws:username"] = name
        return keys | {f"aws:PrincipalTag/{tag}": value for tag, value in self.tags.items()}

    def named_by(self, element: Any) -> Grant:
        """How an element `Principal` names the principal."""
        named = set(principal_names(element))
        if self.arn in named:
            return Grant.ITSELF
        if self.identity_arn in named or "*" in named:
            return Grant.ROLE
        return Grant.ACCOUNT if named & {self.root_arn, self.account} else Grant.NONE

    def spared_by(self, element: Any) -> bool:
        """Whether an element `NotPrincipal` spares the principal: it must name it, its role and its account."""
        named = set(principal_names(element))
        has_account = bool(named & {self.root_arn, self.account})
        return "*" in named or (has_account and {self.arn, self.identity_arn} <= named)


def principal_names(element: Any) -> Iterable[str]:
    """The ARNs and accounts that an element `Principal` or `NotPrincipal` names; services are none."""
    names = element.get("AWS", ()) if isinstance(element, Mapping) else element
    return (names,) if isinstance(names, str) else tuple(names)
