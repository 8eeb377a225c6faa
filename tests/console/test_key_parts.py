"""Key parts: the text of a key split by its template."""

import pytest

from tablewright.console.key_parts import key_parts
from tablewright.design.keys.templates import Template


@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        ("USER#{user_id}", "USER#u1", [("USER#", None), ("u1", "user_id")]),
        ("PROFILE", "PROFILE", [("PROFILE", None)]),
        (
            "TASK#{board}#{number:03}",
            "TASK#b#007",
            [("TASK#", None), ("b", "board"), ("#", None), ("007", "number")],
        ),
        ("{email}", "a@x.de", [("a@x.de", "email")]),
        ("A#{x}", "A#line\nbreak", [("A#", None), ("line\nbreak", "x")]),
    ],
)
def test_a_key_is_split(template: str, text: str, expected: list[tuple[str, str | None]]) -> None:
    parts = key_parts(Template(template), text)
    assert parts is not None
    assert [(part["text"], part["field"]) for part in parts] == expected
    assert "".join(part["text"] for part in parts) == text


def test_another_key_does_not_match() -> None:
    assert key_parts(Template("USER#{user_id}"), "ROLE#x") is None
