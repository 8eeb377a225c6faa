"""Export lines: items and changes in DynamoDB JSON and in Ion."""

from io import BytesIO
from typing import Any

import pytest
from hypothesis import example, given

from tablewright.dynamodb.values.attributes import admit_item, equal
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.buckets.ion_reader import read_values
from tablewright.engine.features.exports.export_lines import (
    CHANGE_LINES,
    ITEM_LINES,
    ExportedChange,
    write_item,
    write_number,
)
from tests.dynamodb.values.strategies import items

ITEM = StoredItem.of({"id": {"S": "ada"}, "age": {"N": "36"}}, 10)
KEYS = {"id": {"S": "ada"}}


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("DYNAMODB_JSON", b'{"Item":{"id":{"S":"ada"},"age":{"N":"36"}}}\n'),
        ("ION", b'$ion_1_0 {Item:{id:"ada",age:36.}}\n'),
    ],
)
def test_an_item(form: str, line: bytes) -> None:
    assert ITEM_LINES[form](ITEM) == line


@pytest.mark.parametrize(
    ("form", "line"),
    [
        (
            "DYNAMODB_JSON",
            b'{"Metadata":{"WriteTimestampMicros":{"N":"5"}},"Keys":{"id":{"S":"ada"}},'
            b'"OldImage":{"id":{"S":"ada"},"age":{"N":"36"}}}\n',
        ),
        (
            "ION",
            b'$ion_1_0 {Record:{Keys:{id:"ada"},Metadata:{WriteTimestampMicros:5.},OldImage:{id:"ada",age:36.}}}\n',
        ),
    ],
)
def test_a_delete_has_an_old_image_only(form: str, line: bytes) -> None:
    assert CHANGE_LINES[form](ExportedChange(KEYS, 5, ITEM, None)) == line


@given(items())
@example({"$1": {"L": []}})
def test_a_written_item_reads_back(item: dict[str, Any]) -> None:
    admitted, _ = admit_item(item)
    (read,) = read_values(BytesIO(write_item(admitted).encode()))
    assert equal({"M": admit_item(read["M"])[0]}, {"M": admitted})


def test_the_example_of_the_aws_documentation() -> None:
    item: dict[str, dict[str, Any]] = {
        "Authors": {"SS": ["Author1", "Author2"]},
        "Dimensions": {"S": "8.5 x 11.0 x 1.5"},
        "Id": {"N": "103"},
        "InPublication": {"BOOL": False},
        "Price": {"N": "2000"},
    }
    assert write_item(item) == (
        '{Authors:$dynamodb_SS::["Author1","Author2"],Dimensions:"8.5 x 11.0 x 1.5",Id:103.,InPublication:false,'
        "Price:2000.}"
    )


@pytest.mark.parametrize("name", ["null", "true", "to be", "1st", "", "a-b", "é"])
def test_names_that_are_not_identifiers_are_quoted(name: str) -> None:
    text = write_item({name: {"NULL": True}})
    assert text == f'{{"{name}":null}}'


@pytest.mark.parametrize("name", ["$0", "$1", "$10", "$999999"])
def test_a_name_that_looks_like_a_symbol_number_stays_a_name(name: str) -> None:
    item: dict[str, dict[str, Any]] = {name: {"N": "1"}, "map": {"M": {name: {"S": name}}}}
    (read,) = read_values(BytesIO(write_item(item).encode()))
    assert read == {"M": item}


def test_a_number_keeps_its_38_digits() -> None:
    digits = "12345678901234567890123456789012345678"
    assert write_number(digits) == f"{digits}."
    (read,) = read_values(BytesIO(write_number(f"-0.{digits}").encode()))
    assert read == {"N": f"-0.{digits}"}
