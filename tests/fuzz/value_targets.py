"""Targets for data from outside: items in DynamoDB JSON, and the files of an import in Ion."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import orjson
from amazon.ion import simpleion

from tablewright.dynamodb.values import large_json
from tablewright.dynamodb.values.attributes import AttributeValue, admit_item
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import parse_body
from tablewright.engine.core.buckets.ion_limits import IonError
from tablewright.engine.core.buckets.ion_reader import read_values
from tablewright.engine.features.exports.export_lines import write_item
from tablewright.errors import SerializationError, ValidationError
from tests.fuzz import grammars
from tests.fuzz.target import Target

_ERRORS = (ValidationError, SerializationError, IonError)
_MODULES = ("tablewright.dynamodb.values", "tablewright.engine.features.imports")


def _in_pieces(data: bytes) -> Any:
    """What the parser for large documents makes of a small one."""
    few, large_json.FEW = large_json.FEW, 0
    try:
        return large_json.decode_in_pieces(data)
    except orjson.JSONDecodeError:
        return None
    finally:
        large_json.FEW = few


def _json(data: bytes) -> Iterable[str]:
    try:
        document = parse_body(data)
    except SerializationError:
        # AWS gives this error no message.
        assert _in_pieces(data) is None, "the parser for large documents accepts this"
        return ["not JSON"]
    if data:
        assert _in_pieces(data) == document, "the parser for large documents gives another document"
    item, size = admit_item(document)
    again = parse_body(orjson.dumps(item))
    assert admit_item(again) == (item, size), "a valid item changes when it is stored"
    assert item_size(item) == size
    return _kinds({"M": item})


def _ion(data: bytes) -> Iterable[str]:
    reached: set[str] = set()
    for value in read_values(BytesIO(data)):
        reached.update(_kinds(value))
        if "M" not in value:
            continue
        try:
            item, _ = admit_item(value["M"])
        except (ValidationError, SerializationError) as error:
            reached.add(str(error)[:40])
            continue
        (again,) = read_values(BytesIO(write_item(item).encode()))
        assert admit_item(again["M"])[0] == item, "an exported item is imported as another item"
    return reached


def _kinds(value: AttributeValue) -> Iterator[str]:
    """The types in a value, with the nesting that each has, up to three levels."""
    waiting = [(value, 0)]
    while waiting:
        value, depth = waiting.pop()
        ((kind, content),) = value.items()
        yield f"{kind} in level {min(depth, 3)}"
        if kind == "M":
            waiting.extend((member, depth + 1) for member in content.values())
        elif kind == "L":
            waiting.extend((member, depth + 1) for member in content)


_BINARY_ION: bytes = simpleion.dumps(
    {"Item": {"pk": "x", "n": 1, "l": [None, True, 1.5, b"abc"]}}, binary=True
)

_JSON = (
    b'{"pk":{"S":"x"},"n":{"N":"1e2"},"b":{"B":"YQ=="},"s":{"NS":["1","2"]},'
    b'"m":{"M":{"l":{"L":[{"NULL":true}]}}}}'
)
_TEXT_ION = b'$ion_1_0 {Item:{pk:"x",n:1.5,b:{{YWJj}},s:$dynamodb_NS::[1.,2.],m:{l:[null,true]}}}'

TARGETS = (
    Target("DynamoDB JSON", _json, grammars.VALUES, _ERRORS, (_JSON,), 16384, _MODULES),
    Target("Ion", _ion, grammars.ION, _ERRORS, (_TEXT_ION, _BINARY_ION), 16384, _MODULES),
)
