"""Cut values: lists get the beginning of long values, and the names of what was cut."""

from tablewright.console.items.cut_values import MOST_BYTES, MOST_CHARACTERS, MOST_MEMBERS, cut_item
from tablewright.dynamodb.values.attributes import AttributeValue, Item


def deep(levels: int) -> AttributeValue:
    value: AttributeValue = {"S": "inside"}
    for _ in range(levels):
        value = {"M": {"next": value}}
    return value


def test_short_values_stay_as_they_are() -> None:
    item: Item = {"a": {"S": "x"}, "n": {"N": "1" * 38}, "l": {"L": [{"BOOL": True}]}, "h": {"HIDDEN": True}}
    assert cut_item(item) == (item, [])


def test_long_texts_binaries_and_collections_are_cut() -> None:
    item: Item = {
        "text": {"S": "x" * 400_000},
        "bytes": {"B": b"x" * 1000},
        "list": {"L": [{"N": "1"}] * 100},
        "map": {"M": {str(number): {"N": "1"} for number in range(100)}},
        "set": {"SS": [str(number) for number in range(100)]},
        "inner": {"L": [{"S": "x" * 1000}]},
    }
    found, cut = cut_item(item)
    assert cut == list(item)
    assert len(found["text"]["S"]) == MOST_CHARACTERS
    assert len(found["bytes"]["B"]) == MOST_BYTES
    assert len(found["list"]["L"]) == len(found["map"]["M"]) == len(found["set"]["SS"]) == MOST_MEMBERS
    assert len(found["inner"]["L"][0]["S"]) == MOST_CHARACTERS


def test_deep_nesting_is_cut() -> None:
    found, cut = cut_item({"flat": deep(2), "deep": deep(30)})
    assert cut == ["deep"]
    assert "inside" in str(found["flat"])
    assert "inside" not in str(found["deep"])


def test_keys_are_not_cut() -> None:
    item = {"PK": {"S": "x" * 2000}}
    assert cut_item(item, ["PK"]) == (item, [])
