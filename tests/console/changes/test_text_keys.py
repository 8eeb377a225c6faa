"""Keys from the texts of addresses and forms."""

import pytest

from tablewright import Table
from tablewright.console.changes.text_keys import text_key, whole_text_key
from tablewright.errors import UsageError

PAIRS = Table("pairs", key=("id", "at"), types={"at": "N"})
FILES = Table("files", key="hash", types={"hash": "B"})


def test_a_key_has_the_types_of_its_table() -> None:
    assert text_key(PAIRS, "a", "7") == {"id": {"S": "a"}, "at": {"N": "7"}}
    assert text_key(FILES, "AP8=", None) == {"hash": {"B": b"\x00\xff"}}


def test_a_partition_has_no_sort_key() -> None:
    assert text_key(PAIRS, "a", None) == {"id": {"S": "a"}}
    with pytest.raises(UsageError, match="the sort key at of the item is missing"):
        whole_text_key(PAIRS, "a", None)
    assert whole_text_key(FILES, "AP8=", None) == {"hash": {"B": b"\x00\xff"}}


def test_wrong_texts_are_errors() -> None:
    with pytest.raises(UsageError, match="this table has no sort key"):
        text_key(FILES, "AP8=", "x")
    with pytest.raises(UsageError, match="hash is base64, got 'no base64!'"):
        text_key(FILES, "no base64!", None)
    with pytest.raises(UsageError, match="id is a key, and a key cannot be empty"):
        text_key(PAIRS, "", None)
