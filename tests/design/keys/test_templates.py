"""Key templates: rendering, parsing, prefixes, and the values and templates that are rejected."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.design.keys.templates import Template
from tablewright.errors import DesignError, KeyValueError

TEXT = st.text(min_size=1).filter(lambda text: "#" not in text)


@given(TEXT, TEXT)
def test_parsing_returns_the_rendered_values(one: str, two: str) -> None:
    template = Template("A#{one}#B#{two}#")
    values = {"one": one, "two": two}
    assert template.parse(template.render(values)) == values


@given(st.tuples(TEXT, TEXT), st.tuples(TEXT, TEXT))
def test_different_values_render_differently(one: tuple[str, str], other: tuple[str, str]) -> None:
    template = Template("{a}#{b}")
    texts = [template.render({"a": a, "b": b}) for a, b in (one, other)]
    assert (texts[0] == texts[1]) == (one == other)


@pytest.mark.parametrize(
    ("template", "value", "message"),
    [
        ("A#{v}#", "x#y", r"v = 'x#y' contains '#', which separates it from the next part of the key"),
        ("A#{v}", "", "v is empty, and a key cannot contain an empty value"),
        ("A#{v}", None, "v is None, and a key cannot contain it"),
        ("A#{v}", True, "v is a boolean, which cannot be part of a key"),
    ],
)
def test_values_that_are_no_key_text_are_rejected(template: str, value: Any, message: str) -> None:
    with pytest.raises(KeyValueError, match=message):
        Template(template).render({"v": value})


def test_the_last_field_may_contain_any_character() -> None:
    assert Template("A#{v}").render({"v": "x#y"}) == "A#x#y"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a key template is empty"),
        ("{a}{b}", "has two adjacent fields"),
        ("A#{a", "has a brace that is not part of a field"),
        ("A#{}", "has a brace that is not part of a field"),
        ("A#{a:nope}", r'in the key template "A#\{a:nope\}", "nope" is no key format'),
    ],
)
def test_invalid_templates_are_rejected(text: str, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        Template(text)


@pytest.mark.parametrize(
    ("text", "prefix", "names", "is_constant", "is_value"),
    [
        ("USER", "USER", (), True, False),
        ("{email}", "", ("email",), False, True),
        ("{level:03}", "", ("level",), False, False),
        ("A#{a}#{b}", "A#", ("a", "b"), False, False),
    ],
)
def test_properties(
    text: str, prefix: str, names: tuple[str, ...], is_constant: bool, is_value: bool
) -> None:
    template = Template(text)
    assert (template.prefix, template.names) == (prefix, names)
    assert (template.is_constant, template.is_value) == (is_constant, is_value)


@pytest.mark.parametrize(
    ("text", "is_number"),
    [
        ("{points}", True),
        ("{at:epoch}", True),
        ("{day:%Y%m%d}", True),
        ("{day:%Y-%m-%d}", False),
        ("{points:06}", False),
        ("{points:06 desc}", False),
        ("{email:lower}", False),
        ("P#{points}", False),
        ("100", False),
    ],
)
def test_templates_that_can_be_number_keys(text: str, is_number: bool) -> None:
    assert Template(text).is_number == is_number


def test_a_separator_in_a_text_of_fixed_shape_is_no_separator() -> None:
    template = Template("{day:%Y-%m-%d}-{price:08.2}.{at:desc}-{name}")
    values = {"day": date(2025, 8, 8), "price": Decimal("1.5"), "at": date(2025, 8, 8), "name": "a-b"}
    text = template.render(values)
    assert text == "2025-08-08-00001.50.7974-91-91-a-b"
    assert template.parse(text) == {"price": "00001.50", "at": "2025-08-08", "name": "a-b"}


def test_text_of_another_template_is_not_parsed() -> None:
    assert Template("A#{a}#B").parse("A#x#C") is None


def test_templates_are_equal_by_text() -> None:
    assert Template("A#{a}") == Template("A#{a}")
    assert len({Template("A#{a}"), Template("A#{a}"), Template("A#{b}")}) == 2
