"""Key languages: a shared text is found if and only if both templates can render it."""

from datetime import date
from itertools import product
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tablewright.checks.key_languages import delimiters, language, shared_text
from tablewright.design.keys.templates import Template

VALUES = ["a", "b", "#", "ab", "a#", "#a", "ba", "a#a", "b#a#", "aa"]


TEMPLATES = st.tuples(
    st.sampled_from(["", "a", "#", "a#"]),
    st.sampled_from(["{x}", "{x}#{y}", "{x}a{y}", "{x}#a{y}", "b"]),
    st.sampled_from(["", "a", "#a"]),
).map(lambda pieces: Template("".join(pieces)))

MANY_PAIRS_SHARE_NO_TEXT = settings(suppress_health_check=[HealthCheck.filter_too_much])


def text(_: str) -> type:
    return str


@MANY_PAIRS_SHARE_NO_TEXT
@given(TEMPLATES, TEMPLATES)
def test_both_templates_parse_the_shared_text(one: Template, other: Template) -> None:
    shared = shared_text(language(one, text), language(other, text))
    assume(shared is not None)
    assert shared is not None
    assert one.parse(shared) is not None
    assert other.parse(shared) is not None


@MANY_PAIRS_SHARE_NO_TEXT
@given(TEMPLATES, TEMPLATES)
def test_a_text_that_both_render_is_found(one: Template, other: Template) -> None:
    rendered = texts(one) & texts(other)
    assume(rendered)
    shared = shared_text(language(one, text), language(other, text))
    assert shared is not None
    assert len(shared) <= min(map(len, rendered))


def texts(template: Template) -> set[str]:
    """The texts it renders, with all values that it accepts."""
    names = template.names
    found = set()
    for values in product(VALUES, repeat=len(names)):
        if all(
            field.stop not in value or not field.stop
            for field, value in zip(template.fields, values, strict=True)
        ):
            found.add(template.render(dict(zip(names, values, strict=True))))
    return found


@pytest.mark.parametrize(
    ("one", "other", "kind", "shared"),
    [
        ("DAY#{x}", "DAY#2025-08-08", date, "DAY#2025-08-08"),
        ("DAY#{x}", "DAY#today", date, None),
        ("{x}", "ffffffff-ffff-4fff-8fff-ffffffffffff", UUID, "ffffffff-ffff-4fff-8fff-ffffffffffff"),
        ("{x}", "user", UUID, None),
        ("{x}", "12", int, "12"),
        ("{x:04}", "12", int, None),
        ("{x:04}", "0012", int, "0012"),
        ("{x}#{y}", "on#off", Literal["on", "off"], "on#off"),
        ("{x}#{y}", "on#of", Literal["on", "off"], None),
    ],
)
def test_types_limit_the_texts_of_a_field(one: str, other: str, kind: Any, shared: str | None) -> None:
    def kinds(_: str) -> Any:
        return kind

    assert shared_text(language(Template(one), kinds), language(Template(other), kinds)) == shared


def test_a_prefix_matches_texts_that_begin_with_it() -> None:
    orders = language(Template("ORDER#"), text, prefix=True)
    assert shared_text(orders, language(Template("ORDER#{id}"), text)) == "ORDER#a"
    assert shared_text(orders, language(Template("ORDERLINE#{id}"), text)) is None


def test_values_can_be_assumed_to_have_no_delimiter() -> None:
    user, order = Template("USER#{user}"), Template("USER#{user}#ORDER#{order}")
    plain = delimiters(user, order)
    assert shared_text(language(user, text), language(order, text)) == "USER#a#ORDER#a"
    assert shared_text(language(user, text, without=plain), language(order, text, without=plain)) is None


def test_too_many_alternatives_count_as_any_text() -> None:
    many = Literal[*[f"value{number}" for number in range(300)]]  # type: ignore[valid-type]
    assert (
        shared_text(language(Template("{x}"), lambda _: many), language(Template("other"), text)) == "other"
    )
