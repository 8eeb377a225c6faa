"""Value problems: each names the field, what it must be, and what was given."""

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.value_problems import describe_problems, place_text, problems_of, short_text


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Inner(BaseModel):
    city: str


class Outer(BaseModel):
    n: int = 0
    f: float = 0
    d: Decimal = Decimal(0)
    s: Annotated[str, Field(min_length=1, max_length=3)] = "x"
    lines: Annotated[list[str], Field(max_length=1)] = Field(default_factory=list)
    low: Annotated[int, Field(ge=0)] = 0
    when: Timestamp | None = None
    day: date | None = None
    time: datetime | None = None
    colour: Colour = Colour.RED
    side: Literal["left", "right"] = "left"
    inner: Inner | None = None
    checked: str = ""

    @field_validator("checked")
    @classmethod
    def _not_bad(cls, value: str) -> str:
        if value == "bad":
            raise ValueError("must not be bad")
        if value == "odd":
            raise ValueError("odd values are not allowed")
        return value

    @model_validator(mode="after")
    def _not_both(self) -> "Outer":
        if self.n and self.low:
            raise ValueError("n and low exclude each other")
        return self


def texts(values: dict[str, Any], **options: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        Outer(**values)
    return describe_problems(problems_of(caught.value), **options)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n": "many"}, "Outer.n must be a valid integer, got 'many'"),
        ({"n": 1.5}, "Outer.n must be a valid integer, got 1.5"),
        ({"n": None}, "Outer.n must be a valid integer, got None"),
        ({"n": [1]}, "Outer.n must be a valid integer, got a list"),
        ({"f": "x"}, "Outer.f must be a valid number, got 'x'"),
        ({"d": "x"}, "Outer.d must be a valid decimal, got 'x'"),
        ({"s": "long"}, "Outer.s must have at most 3 characters, got 'long'"),
        ({"s": ""}, "Outer.s must have at least 1 character, got ''"),
        ({"lines": ["a", "b"]}, "Outer.lines must have at most 1 item, got 2"),
        ({"lines": [3]}, "Outer.lines[0] must be a valid string, got 3"),
        ({"low": -1}, "Outer.low must be greater than or equal to 0, got -1"),
        ({"when": "soon"}, "Outer.when must be a time, such as 2026-01-31T12:00:00Z, got 'soon'"),
        ({"day": "soon"}, "Outer.day must be a valid date or datetime, got 'soon'"),
        ({"colour": "green"}, "Outer.colour must be 'red' or 'blue', got 'green'"),
        ({"side": "top"}, "Outer.side must be 'left' or 'right', got 'top'"),
        ({"inner": {}}, "Outer.inner.city is required"),
        ({"checked": "bad"}, "Outer.checked must not be bad, got 'bad'"),
        ({"checked": "odd"}, "Outer.checked: odd values are not allowed, got 'odd'"),
        ({"n": 1, "low": 1}, "Outer: n and low exclude each other"),
        (
            {"n": "x", "f": "y"},
            "Outer.n must be a valid integer, got 'x'; Outer.f must be a valid number, got 'y'",
        ),
    ],
)
def test_a_problem_names_field_rule_and_value(values: dict[str, Any], message: str) -> None:
    assert texts(values, owner="Outer") == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n": "many"}, "n must be a valid integer, got text"),
        ({"n": None}, "n must be a valid integer, got None"),
        ({"s": "long"}, "s must have at most 3 characters"),
        ({"lines": ["a", "b"]}, "lines must have at most 1 item, got 2"),
        ({"side": "top"}, "side must be 'left' or 'right'"),
        ({"inner": {}}, "inner.city is required"),
    ],
)
def test_stored_values_are_not_shown(values: dict[str, Any], message: str) -> None:
    assert texts(values, shows_values=False) == message


def test_problems_of_secrets_have_no_detail() -> None:
    secrets = frozenset({"checked"})
    assert texts({"checked": "bad"}, owner="Outer", secrets=secrets) == "Outer.checked is not valid"
    assert texts({"n": 1, "low": 1}, owner="Outer", secrets=secrets) == "Outer is not valid"
    assert texts({"n": 1, "low": 1}, secrets=secrets) == "the whole item is not valid"


def test_unknown_names() -> None:
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")

    with pytest.raises(ValidationError) as caught:
        Closed.model_validate({"x": 1})
    assert describe_problems(problems_of(caught.value), "Closed") == "Closed.x is not a known name"


def test_places_and_values_in_text() -> None:
    assert place_text("Box.scores", ("a b", 0, "x")) == "Box.scores['a b'][0].x"
    assert short_text("x" * 200) == "'" + "x" * 59 + "..."
    assert short_text(Inner(city="x")) == "an instance of Inner"
    assert short_text(b"secret") == "binary"
