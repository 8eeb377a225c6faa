"""Policy conditions: one operator, one condition key, and the values that the key may have.

AWS's rules:

- A condition with several values holds when the request's value matches one of them; with a negated operator
  (`StringNotEquals`), when it matches none.
- Without the key in the request, a condition does not hold; a negated one holds, and so does one with `IfExists`.
- `ForAllValues:` holds when every value of the request matches, also when there are no values. `ForAnyValue:` holds
  when some value of the request matches, so not without values. An empty text counts as no value.
- `Null` with `true` holds when the key is absent, with `false` when it is present.

AWS does not define what an operator without qualifier does with several values of a request. Here all must match in a
statement that allows, and one must match in a statement that denies.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.policies.condition_operators import OPERATORS, Operator, truth
from tablewright.dynamodb.policies.policy_texts import PolicyText
from tablewright.dynamodb.policies.principals import RequestContext
from tablewright.errors import PolicyError

Qualifier = Literal["", "forallvalues", "foranyvalue"]
_SUFFIX = "ifexists"


@dataclass(frozen=True, slots=True)
class NullCondition:
    """Whether a key is absent."""

    key: str
    is_absent: bool

    def holds(self, context: RequestContext, *, denies: bool) -> bool:
        """Whether the request has the key, or not, as required."""
        return (context.values(self.key) is None) == self.is_absent


@dataclass(frozen=True, slots=True)
class PolicyCondition:
    """A comparison of a condition key with some values."""

    operator: Operator
    key: str
    expected: tuple[Any, ...]
    qualifier: Qualifier = ""
    if_exists: bool = False

    def holds(self, context: RequestContext, *, denies: bool) -> bool:
        """Whether the condition holds; `denies` says that its statement denies."""
        values = context.values(self.key)
        if values is None:
            return self._holds_without_key()
        if self.qualifier and values == ("",):
            return self.qualifier == "forallvalues"
        matches = (self._matches(value, context) for value in values)
        is_any = self.qualifier == "foranyvalue" or (not self.qualifier and denies)
        return any(matches) if is_any else all(matches)

    def _holds_without_key(self) -> bool:
        if self.if_exists or self.qualifier == "forallvalues":
            return True
        return self.operator.is_negated and not self.qualifier

    def _matches(self, value: str, context: RequestContext) -> bool:
        test = self.operator.test
        return any(test(expected, value, context) for expected in self.expected) != self.operator.is_negated


def parse_conditions(block: Any, *, has_variables: bool) -> tuple[PolicyCondition | NullCondition, ...]:
    """The conditions of a statement; all must hold.

    >>> (own,) = parse_conditions({"StringEquals": {"aws:username": ["ada", "bob"]}}, has_variables=True)
    >>> own.holds(RequestContext({"aws:username": "bob"}), denies=False)
    True
    """
    if not isinstance(block, Mapping):
        raise PolicyError("Condition must be an object of operators")
    return tuple(_conditions(block, has_variables))


def _conditions(block: Mapping[str, Any], has_variables: bool) -> Iterator[PolicyCondition | NullCondition]:
    for name, keys in block.items():
        if not isinstance(keys, Mapping) or not keys:
            raise PolicyError(f"the condition {name} must be an object of condition keys")
        for key, content in keys.items():
            values = [_text(value, name) for value in (content if isinstance(content, list) else [content])]
            if name.lower() == "null":
                yield NullCondition(key, _expected_null(values))
            else:
                yield _condition(name, key, values, has_variables)


def _condition(name: str, key: str, values: list[str], has_variables: bool) -> PolicyCondition:
    lower = name.lower()
    qualifier: Qualifier = ""
    if lower.startswith("forallvalues:"):
        qualifier = "forallvalues"
    elif lower.startswith("foranyvalue:"):
        qualifier = "foranyvalue"
    plain = lower.removeprefix(f"{qualifier}:")
    operator = OPERATORS.get(plain.removesuffix(_SUFFIX))
    if operator is None:
        raise PolicyError(f"{name} is not a condition operator")
    if not values:
        raise PolicyError(f"the condition {name} of {key} has no values")
    texts = [
        PolicyText.parse(expected, has_variables=has_variables and operator.has_variables)
        for expected in values
    ]
    expected = tuple(operator.read(text) for text in texts)
    return PolicyCondition(operator, key, expected, qualifier, plain.endswith(_SUFFIX))


def _expected_null(values: list[str]) -> bool:
    try:
        (value,) = values
        return truth(value)
    except ValueError:
        raise PolicyError(f"the value of Null must be true or false, got {', '.join(values)}") from None


def _text(value: Any, name: str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise PolicyError(f"a value of the condition {name} must be text, a number, true or false, got {value!r}")
