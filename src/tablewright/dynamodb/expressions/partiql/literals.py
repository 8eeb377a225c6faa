"""Literals: values in the text of a statement, as attribute values.

Error messages name the path inside the value: `root`, then `.key` and `[index]`.
"""

from tablewright.dynamodb.expressions.partiql.statement_nodes import (
    CallNode,
    Collection,
    Ion,
    Literal,
    Node,
    Struct,
    kind_name,
)
from tablewright.dynamodb.expressions.partiql.statement_tokens import is_negative_zero
from tablewright.dynamodb.values.attributes import AttributeValue, in_order
from tablewright.dynamodb.values.numbers import canonical
from tablewright.errors import ValidationError

# Containers around the innermost value; the attribute itself is the first of DynamoDB's 32 levels.
MAX_CONTAINERS = 31
_INVALID = "One or more parameter values were invalid: "


def literal(node: Node, path: str = "root", depth: int = 0) -> AttributeValue:
    """The value of a literal.

    >>> from tablewright.dynamodb.expressions.partiql.statement_tokens import TextSpan
    >>> literal(Literal("N", "1e2", TextSpan(1, 1, 3)))
    {'N': '100'}
    """
    if depth > MAX_CONTAINERS:
        raise ValidationError(f"Nesting Levels have exceeded supported limits under {path}")
    match node:
        case Literal("S", text):
            return {"S": text}
        case Literal("N", numeral):
            return {"N": _number(numeral, path)}
        case Literal("BOOL", text):
            return {"BOOL": text == "true"}
        case Literal("NULL"):
            return {"NULL": True}
        case Collection("List", members):
            return {"L": [literal(member, f"{path}[{at}]", depth + 1) for at, member in enumerate(members)]}
        case Collection("Bag", members):
            return _set(members, path)
        case Struct(members):
            return {"M": _members(members, path, depth)}
        case Ion(text):
            raise ValidationError(f"Ion Literals are not supported: {text} under key {path}")
        case _:
            raise unsupported(node, path)


def unsupported(node: Node, path: str = "root") -> ValidationError:
    """The error for a node that is no literal where only literals are allowed."""
    kind = node.function if isinstance(node, CallNode) else kind_name(node)
    span = getattr(node, "span", None)
    where = f" at {span}" if span else ""
    return ValidationError(f"Unsupported data type: {kind} under key {path}{where}")


def struct_keys(members: tuple[tuple[Node, Node], ...], path: str = "root") -> list[str]:
    """The keys of a struct, which must be unique strings."""
    keys: list[str] = []
    for key, _ in members:
        if not (isinstance(key, Literal) and key.kind == "S"):
            kind = key.kind if isinstance(key, Literal) else kind_name(key)
            raise ValidationError(f"Tuple keys must be of type String. Actual type: {kind} under {path}")
        if key.text in keys:
            raise ValidationError(f"Duplicate keys in tuple. Key: {key.text} under {path}")
        keys.append(key.text)
    return keys


def _members(members: tuple[tuple[Node, Node], ...], path: str, depth: int) -> dict[str, AttributeValue]:
    keys = struct_keys(members, path)
    return {
        key: literal(value, f"{path}.{key}", depth + 1) for key, (_, value) in zip(keys, members, strict=True)
    }


def _number(numeral: str, path: str) -> str:
    if is_negative_zero(numeral):
        raise ValidationError(f"Negative zero decimal is not supported under key {path}")
    try:
        return canonical(numeral)
    except ValidationError as error:
        raise ValidationError(f"{error.older} under {path}") from None


def _set(members: tuple[Node, ...], path: str) -> AttributeValue:
    if not members:
        raise ValidationError("Empty bags are not supported")
    kinds = {member.kind if isinstance(member, Literal) else "" for member in members}
    if kinds == {"S"}:
        return {"SS": _distinct_texts([member.text for member in members if isinstance(member, Literal)])}
    if kinds == {"N"}:
        numerals = [member.text for member in members if isinstance(member, Literal)]
        numbers = [_number(numeral, path) for numeral in numerals]
        if len(set(numbers)) < len(numbers):
            shown = ", ".join(numerals)
            raise ValidationError(f"{_INVALID}Input collection [{shown}] contains duplicates! under {path}")
        return {"NS": in_order(numbers, "NS")}
    raise ValidationError(
        "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
    )


def _distinct_texts(texts: list[str]) -> list[str]:
    if len(set(texts)) < len(texts):
        raise ValidationError(f"{_INVALID}Input collection [{', '.join(texts)}] contains duplicates.")
    return in_order(texts, "SS")
