"""Text widths and line breaks."""

import pytest

from tablewright.generate.diagrams.text_widths import wrapped


@pytest.mark.parametrize(
    ("text", "most", "lines"),
    [
        ("USER#{user_id}", 20, ["USER#{user_id}"]),
        ("USER#{user_id}#ORDER", 14, ["USER#{user_id}", "#ORDER"]),
        ("when status is open", 12, ["when status", "is open"]),
        ("{a_very_long_field_name}", 10, ["{a_very_lo", "ng_field_n", "ame}"]),
        ("", 10, [""]),
    ],
)
def test_lines_break_where_parts_begin(text: str, most: int, lines: list[str]) -> None:
    assert wrapped(text, most) == lines


def test_nothing_is_lost() -> None:
    text = "STARTUP#{startup_id}#ROLE#{role_id}" * 3
    for most in range(1, 40):
        lines = wrapped(text, most)
        assert "".join(lines) == text
        assert max(map(len, lines)) <= most
