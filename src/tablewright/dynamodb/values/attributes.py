"""Attribute values in DynamoDB JSON: `{"S": "x"}`, `{"N": "1"}`, `{"M": {...}}`.

`admit` validates a value from a request, normalises it (numbers canonical, binary as base64 text) and measures it
in one pass. Everywhere else the engine relies on values being valid.
"""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tablewright.dynamodb.values.item_sizes import CONTAINER, ELEMENT, binary_size, text_size
from tablewright.dynamodb.values.numbers import LONGEST_MEASURED, canonical, measured, number, number_size
from tablewright.errors import SerializationError, ValidationError

AttributeValue = dict[str, Any]
Item = dict[str, AttributeValue]

TYPES = ("S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL")
MAX_DEPTH = 32
MAX_NAME = 65535

_T = TypeVar("_T")
_INVALID = "One or more parameter values were invalid: "


def admit_item(item: Any) -> tuple[Item, int]:
    """Validate an item of a request; return it normalised, with its size in bytes.

    >>> admit_item({"id": {"N": "1e1"}, "raw": {"B": b"abc"}})
    ({'id': {'N': '10'}, 'raw': {'B': 'YWJj'}}, 10)
    """
    admitted = {}
    total = 0
    for name, value in item.items():
        length = _NAME_SIZES.get(name) or _name_size(name)
        # Most values are strings; they are handled here as `admit` does, without the cost of a call.
        text = value.get("S") if type(value) is dict and len(value) == 1 else None
        if type(text) is str:
            admitted[name] = value
            total += length + (len(text) if text.isascii() else len(text.encode()))
        else:
            try:
                admitted[name], size = admit(value)
            except ValidationError:
                for attribute in item:
                    require_name(attribute)  # AWS checks all names first.
                raise
            total += length + size
    return admitted, total


# The same names occur in most items; the sizes of the first ones are cached.
_NAME_SIZES: dict[str, int] = {}
_MOST_NAMES = 4096


def _name_size(name: str) -> int:
    require_name(name)
    size = text_size(name)
    if len(_NAME_SIZES) < _MOST_NAMES and size < MAX_NAME // 64:
        _NAME_SIZES[name] = size
    return size


def require_name(name: str) -> None:
    """Reject an attribute name that is empty or has 64 KB or more."""
    if not name:
        raise ValidationError(_INVALID + "Empty attribute name", older="Empty attribute name")
    if text_size(name) > MAX_NAME:
        raise ValidationError(
            f"{_INVALID}Attribute name is too large, must be less than {MAX_NAME + 1} bytes"
        )


def admit(value: Any, depth: int = 0) -> tuple[AttributeValue, int]:
    """Validate an attribute value of a request; return it normalised, with its size in bytes."""
    if type(value) is not dict or len(value) != 1:
        value = _only_member(value)
    ((kind, content),) = value.items()
    if kind == "S" and type(content) is str:
        return value, len(content) if content.isascii() else len(content.encode())
    validate = _VALIDATORS.get(kind)
    if validate is None or content is None:
        return admit(_only_member(value), depth)
    return validate(content, depth)


def normalise(value: Any) -> AttributeValue:
    """`admit` without the size."""
    return admit(value)[0]


def type_of(value: AttributeValue) -> str:
    """The data type of a valid value: the name of its only member.

    >>> type_of({"NS": ["1"]})
    'NS'
    """
    return next(iter(value))


def equal(left: AttributeValue, right: AttributeValue) -> bool:
    """Whether two valid values are equal: same type, sets in any order, lists in order.

    >>> equal({"SS": ["a", "b"]}, {"SS": ["b", "a"]}), equal({"S": "1"}, {"N": "1"})
    (True, False)
    """
    if left == right:
        return True
    ((kind, one),) = left.items()
    other = right.get(kind)
    if other is None:
        return False
    if kind in ("SS", "NS", "BS"):
        return set(one) == set(other)
    if kind == "L":
        return len(one) == len(other) and all(map(equal, one, other))
    if kind == "M":
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    return False


def order(left: AttributeValue, right: AttributeValue) -> int | None:
    """-1, 0 or 1 for two strings, numbers or binaries; None for values without an order.

    >>> order({"N": "9"}, {"N": "10"}), order({"S": "9"}, {"S": "10"}), order({"S": "9"}, {"N": "9"})
    (-1, 1, None)
    """
    ((kind, one),) = left.items()
    other = right.get(kind)
    rank = _RANKS.get(kind)
    if other is None or rank is None:
        return None
    low, high = rank(one), rank(other)
    return int(low > high) - int(low < high)


# UTF-8 bytes sort as code points do, and so do Python's strings.
_RANKS: dict[str, Callable[[str], Any]] = {"S": str, "N": number, "B": b64decode}


def _only_member(value: Any) -> AttributeValue:
    """The only type member of a value; other members and nulls are ignored, as on AWS."""
    if not isinstance(value, dict):
        raise SerializationError("Start of structure or map found where not expected")
    members = {kind: content for kind, content in value.items() if kind in TYPES and content is not None}
    if not members:
        raise ValidationError(
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
        )
    if len(members) > 1:
        for kind, content in members.items():
            _VALIDATORS[kind](content, 0)  # An error in one of them is reported first.
        raise ValidationError(
            "Supplied AttributeValue has more than one datatypes set, "
            "must contain exactly one of the supported datatypes"
        )
    return members


def _text(content: Any, depth: int) -> tuple[AttributeValue, int]:
    text = _require(content, str)
    return {"S": text}, text_size(text)


def _number(content: Any, depth: int) -> tuple[AttributeValue, int]:
    text = _require(content, str)
    if len(text) <= LONGEST_MEASURED:
        digits, size = measured(text)
        return {"N": digits}, size
    digits = canonical(text)
    return {"N": digits}, number_size(digits)


def _binary(content: Any, depth: int) -> tuple[AttributeValue, int]:
    text = base64_text(content)
    return {"B": text}, binary_size(text)


def _boolean(content: Any, depth: int) -> tuple[AttributeValue, int]:
    return {"BOOL": truth(content)}, 1


def _null(content: Any, depth: int) -> tuple[AttributeValue, int]:
    if not truth(content):
        raise ValidationError(_INVALID + "Null attribute value types must have the value of true")
    return {"NULL": True}, 1


def _text_set(content: Any, depth: int) -> tuple[AttributeValue, int]:
    texts = [_require(text, str) for text in _require(content, list)]
    if not texts:
        raise ValidationError(_INVALID + "An string set  may not be empty")
    if len(set(texts)) < len(texts):
        quoted = ", ".join(f'"{text}"' for text in _repeating(texts, "SS"))
        raise ValidationError(
            f"{_INVALID}Input collection [{quoted}] contains duplicates.",
            older=f"{_INVALID}Input collection [{', '.join(texts)}] contains duplicates.",
        )
    return {"SS": in_order(texts, "SS")}, sum(map(text_size, texts))


def _number_set(content: Any, depth: int) -> tuple[AttributeValue, int]:
    numbers = [canonical(_require(text, str)) for text in _require(content, list)]
    if not numbers:
        raise ValidationError(_INVALID + "An number set  may not be empty")
    if len(set(numbers)) < len(numbers):
        raise ValidationError(
            f"{_INVALID}Input collection contains duplicates.", older="Input collection contains duplicates"
        )
    return {"NS": in_order(numbers, "NS")}, sum(map(number_size, numbers))


def _binary_set(content: Any, depth: int) -> tuple[AttributeValue, int]:
    texts = [base64_text(member) for member in _require(content, list)]
    if not texts:
        raise ValidationError(_INVALID + "Binary sets should not be empty")
    if len(set(texts)) < len(texts):
        quoted = ",".join(f'"{text}"' for text in _repeating(texts, "BS"))
        raise ValidationError(
            f"{_INVALID}Input collection [{quoted}]of type BS contains duplicates.",
            older=f"{_INVALID}Input collection [{', '.join(texts)}]of type BS contains duplicates.",
        )
    return {"BS": in_order(texts, "BS")}, sum(map(binary_size, texts))


def in_order(members: Iterable[str], kind: str) -> list[str]:
    """The members of a set in the order in which DynamoDB shows them.

    >>> in_order({"b", "", "a"}, "SS"), in_order({"9", "10"}, "NS")
    (['', 'a', 'b'], ['9', '10'])
    """
    return sorted(members, key=_RANKS[kind[0]])


def _repeating(members: list[str], kind: str) -> list[str]:
    """Members with a duplicate, in the order AWS shows them: sorted before the duplicate, then as given."""
    seen: set[str] = set()
    for member in members:
        if member in seen:
            break
        seen.add(member)
    return [*in_order(seen, kind), *members[len(seen) :]]


def _list(content: Any, depth: int) -> tuple[AttributeValue, int]:
    _require_depth(depth + 1)
    admitted = [admit(element, depth + 1) for element in _require(content, list)]
    return {"L": [value for value, _ in admitted]}, CONTAINER + sum(size + ELEMENT for _, size in admitted)


def _map(content: Any, depth: int) -> tuple[AttributeValue, int]:
    _require_depth(depth + 1)
    admitted = {}
    total = CONTAINER
    for name, value in _require(content, dict).items():
        admitted[name], size = admit(value, depth + 1)
        total += size + ELEMENT + text_size(_require(name, str))
    return {"M": admitted}, total


_VALIDATORS: dict[str, Callable[[Any, int], tuple[AttributeValue, int]]] = {
    "S": _text,
    "N": _number,
    "B": _binary,
    "BOOL": _boolean,
    "NULL": _null,
    "SS": _text_set,
    "NS": _number_set,
    "BS": _binary_set,
    "L": _list,
    "M": _map,
}


def base64_text(content: Any) -> str:
    """Binary as canonical base64 text, from bytes or from base64 text."""
    if isinstance(content, bytes | bytearray | memoryview):
        return b64encode(content).decode()
    text = _require(content, str)
    try:
        canonical_text = b64encode(b64decode(text, validate=True)).decode()
    except (NotBase64, ValueError):
        canonical_text = ""
    if canonical_text != text:
        raise SerializationError("Invalid last non-pad Base64 character dectected")
    return text


def truth(content: Any) -> bool:
    """A boolean, from a boolean or from one of the strings that AWS accepts as one.

    >>> truth("yes"), truth("FALSE"), truth(True)
    (True, False, True)
    """
    if type(content) is str and content.upper() in _TRUTHS:
        return _TRUTHS[content.upper()]
    if type(content) is str:
        raise SerializationError("Unexpected token received from parser")
    return _require(content, bool)


_TRUTHS = {"TRUE": True, "YES": True, "1": True, "FALSE": False, "NO": False, "0": False}


def _require(content: Any, kind: type[_T]) -> _T:
    if type(content) is not kind:
        raise SerializationError(f"Unexpected value type in payload: {type(content).__name__}")
    return content


def _require_depth(depth: int) -> None:
    # The innermost value counts as a level too, so one container less than levels.
    if depth >= MAX_DEPTH:
        raise ValidationError(
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit"
        )
