"""Policy documents: parsed from JSON and validated once, then matched with requests.

A document that cannot be evaluated is rejected as a whole: a statement that was ignored could be the one that denies.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

import orjson

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.policies.policy_conditions import NullCondition, PolicyCondition, parse_conditions
from tablewright.dynamodb.policies.policy_texts import PolicyText, is_match, wildcards
from tablewright.dynamodb.policies.principals import Grant, Principal, RequestContext
from tablewright.errors import PolicyError

VERSION, OLD_VERSION = "2012-10-17", "2008-10-17"
ELEMENTS = (
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
)
"""The elements of a statement, in AWS's order."""

Effect = Literal["Allow", "Deny"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its effect, and the requests that it is about."""

    effect: Effect
    actions: tuple[str, ...]
    resources: tuple[PolicyText, ...]
    conditions: tuple[PolicyCondition | NullCondition, ...] = ()
    excludes_actions: bool = False
    """Whether the actions are those of `NotAction`."""
    excludes_resources: bool = False
    principal: Any = None
    """The element `Principal` or `NotPrincipal`; None in a policy of an identity."""
    excludes_principal: bool = False
    sid: str | None = None

    def grant(self, principal: Principal) -> Grant:
        """How the statement names a principal; a policy of an identity is about that identity."""
        if self.principal is None:
            return Grant.ITSELF
        if self.excludes_principal:
            return Grant.NONE if principal.spared_by(self.principal) else Grant.ROLE
        return principal.named_by(self.principal)

    def applies(self, action: str, resource: str, context: RequestContext) -> bool:
        """Whether the statement is about a request, for the principals that it names."""
        name = action.lower()
        if any(is_match(wildcards(pattern), name) for pattern in self.actions) == self.excludes_actions:
            return False
        if any(pattern.matches(resource, context) for pattern in self.resources) == self.excludes_resources:
            return False
        denies = self.effect == "Deny"
        return all(condition.holds(context, denies=denies) for condition in self.conditions)


@dataclass(frozen=True, slots=True)
class PolicyDocument:
    """A policy document."""

    statements: tuple[Statement, ...]
    version: str = OLD_VERSION

    def grant(
        self, effect: Effect, principal: Principal, action: str, resource: str, context: RequestContext
    ) -> Grant:
        """The highest grant among the statements with that effect on a request; NONE if there is none."""
        return max(
            (
                statement.grant(principal)
                for statement in self.statements
                if statement.effect == effect and statement.applies(action, resource, context)
            ),
            default=Grant.NONE,
        )


def parse_document(source: str | bytes | Mapping[str, Any], *, of_resource: bool = False) -> PolicyDocument:
    """The document of a JSON text or object; raises PolicyError for one that cannot be evaluated.

    A policy of a resource (`of_resource`) names principals, a policy of an identity does not.

    >>> read = {"Effect": "Allow", "Action": "dynamodb:Get*", "Resource": "*"}
    >>> document = parse_document({"Version": "2012-10-17", "Statement": [read]})
    >>> document.statements[0].applies("dynamodb:GetItem", "arn:aws:dynamodb:...", RequestContext({}))
    True
    """
    document = source
    if isinstance(source, str | bytes):
        try:
            document = orjson.loads(source)
        except orjson.JSONDecodeError as error:
            raise PolicyError(f"the policy is not valid JSON: {error}") from None
    if not isinstance(document, Mapping):
        raise PolicyError("a policy must be a JSON object with the element Statement")
    unknown = next((name for name in document if name not in ("Version", "Id", "Statement")), None)
    if unknown is not None:
        raise PolicyError(f"a policy has no element {unknown}; it has Version, Id and Statement")
    version = document.get("Version", OLD_VERSION)
    if version not in (VERSION, OLD_VERSION):
        raise PolicyError(f"Version must be {VERSION} or {OLD_VERSION}, got {version!r}")
    content = document.get("Statement")
    statements = [content] if isinstance(content, Mapping) else content
    if not isinstance(statements, list) or not statements:
        raise PolicyError("a policy must have at least one Statement")
    parsed = tuple(
        _numbered(number, statement, of_resource=of_resource, has_variables=version == VERSION)
        for number, statement in enumerate(statements, 1)
    )
    return PolicyDocument(parsed, version)


def _numbered(number: int, statement: Any, *, of_resource: bool, has_variables: bool) -> Statement:
    try:
        return _statement(statement, of_resource=of_resource, has_variables=has_variables)
    except PolicyError as error:
        sid = statement.get("Sid") if isinstance(statement, Mapping) else None
        name = f"statement {number} ({sid})" if sid else f"statement {number}"
        raise PolicyError(f"{name}: {error}") from None


def _statement(statement: Any, *, of_resource: bool, has_variables: bool) -> Statement:
    if not isinstance(statement, Mapping):
        raise PolicyError("a statement must be an object")
    unknown = next((name for name in statement if name not in ELEMENTS), None)
    if unknown is not None:
        raise PolicyError(f"a statement has no element {unknown}; it has {', '.join(ELEMENTS)}")
    effect = str(statement.get("Effect")).capitalize()
    if effect not in ("Allow", "Deny"):
        raise PolicyError(f"Effect must be Allow or Deny, got {statement.get('Effect')!r}")
    actions, excludes_actions = _element(statement, "Action")
    resources, excludes_resources = _element(statement, "Resource")
    for action in actions:
        if action != "*" and ":" not in action:
            raise PolicyError(f"the action {action} has no service; write dynamodb:{action}")
    principal, excludes_principal = _principal(statement, of_resource=of_resource)
    return Statement(
        "Allow" if effect == "Allow" else "Deny",
        tuple(action.lower() for action in actions),
        tuple(PolicyText.parse(resource, has_variables=has_variables) for resource in resources),
        parse_conditions(statement.get("Condition", {}), has_variables=has_variables),
        excludes_actions,
        excludes_resources,
        principal,
        excludes_principal,
        statement.get("Sid"),
    )


def _element(statement: Mapping[str, Any], name: str) -> tuple[list[str], bool]:
    """The values of an element, and whether they are those of its negation."""
    elements = [element for element in (name, f"Not{name}") if element in statement]
    if len(elements) != 1:
        raise PolicyError(f"a statement must have either {name} or Not{name}")
    values = listed(statement[elements[0]])
    if not values or not all(isinstance(value, str) and value for value in values):
        raise PolicyError(f"{elements[0]} must be a text or a list of texts")
    return values, elements[0] != name


def _principal(statement: Mapping[str, Any], *, of_resource: bool) -> tuple[Any, bool]:
    elements = [element for element in ("Principal", "NotPrincipal") if element in statement]
    if not of_resource:
        if elements:
            raise PolicyError(
                f"{elements[0]} is for policies of resources; a policy of a user or role has none"
            )
        return None, False
    if len(elements) != 1:
        raise PolicyError("a statement must have either Principal or NotPrincipal")
    principal = statement[elements[0]]
    if principal != "*" and not isinstance(principal, Mapping):
        raise PolicyError(f'{elements[0]} must be "*" or an object such as {{"AWS": "123456789012"}}')
    return principal, elements[0] == "NotPrincipal"


def listed(value: Any) -> list[Any]:
    """A value of an element as a list: a single value may be written without brackets."""
    return value if isinstance(value, list) else [value]


def is_known_action(action: str, known: Iterable[str], service: str = "dynamodb") -> bool:
    """Whether an action of a policy, maybe with wildcards, matches one of these actions of a service.

    >>> is_known_action("dynamodb:Get*", ["GetItem"]), is_known_action("s3:GetObject", ["GetItem"])
    (True, False)
    """
    if action == "*":
        return True
    prefix, _, name = action.lower().partition(":")
    return prefix == service and any(is_match(wildcards(name), operation.lower()) for operation in known)
