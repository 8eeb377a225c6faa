"""Many messages with one meaning are one line."""

from tablewright.cli.grouped_messages import LISTED, grouped_lines


def lines(*messages: str) -> list[str]:
    things = [(f"key {number}", message) for number, message in enumerate(messages)]
    return list(
        grouped_lines(things, lambda it: it[1], lambda it: it[0], lambda it: f"{it[0]}: {it[1]}", "item")
    )


def test_identical_messages_are_one_line_with_three_examples() -> None:
    assert lines(*["is odd"] * 8000) == ["8,000 items: is odd; for example key 0, key 1, key 2"]


def test_messages_that_differ_in_values_are_one_line() -> None:
    prices = [f"price: '{number} x' is not a number, in 1.{number}" for number in range(20)]
    assert lines(*prices) == ["20 items: price: ... is not a number, in ...; for example key 0, key 1, key 2"]


def test_few_messages_are_listed() -> None:
    assert lines(*["is odd"] * LISTED) == [f"key {number}: is odd" for number in range(LISTED)]


def test_the_largest_group_is_first_and_different_messages_stay_apart() -> None:
    assert lines("is odd", *["is even"] * 11) == [
        "11 items: is even; for example key 1, key 2, key 3",
        "key 0: is odd",
    ]
