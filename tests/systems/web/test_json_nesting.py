"""The limit on the nesting of JSON bodies."""

import pytest

from tablewright_systems.web.json_nesting import MAX_DEPTH, is_too_deep


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", False),
        (b"[" * MAX_DEPTH, False),
        (b"[" * (MAX_DEPTH + 1), True),
        (b'{"a":' * (MAX_DEPTH + 1), True),
        (b"[]" * 1_000, False),
        (b'"' + b"[" * 1_000 + b'"', False),
        (b'"' + b"[" * 1_000, False),
        (b'"\\"' + b"[" * 1_000 + b'"', False),
        (b'"\\\\"' + b"[" * 1_000, True),
    ],
)
def test_only_brackets_outside_of_strings_count(body: bytes, expected: bool) -> None:
    assert is_too_deep(body) is expected
