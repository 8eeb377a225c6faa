"""Messages suggest the nearest name."""

import pytest

from tablewright.design.nearest_names import suggestion


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("nmae", ["name", "email"], "did you mean name?"),
        ("user", ["user_id", "user_ids"], "did you mean user_id?"),
        ("colour", ["name", "name", "email"], "it has: name, email"),
        ("name", [], "it has: none"),
    ],
)
def test_suggestion(name: str, known: list[str], expected: str) -> None:
    assert suggestion(name, known) == expected
