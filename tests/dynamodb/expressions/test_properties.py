"""Properties of all expressions and all items."""

from contextlib import suppress
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.expressions import Projection, Scope, condition, key_condition, projection, update
from tablewright.dynamodb.expressions.condition import bound_condition, parse_condition
from tablewright.dynamodb.expressions.nodes import Path
from tablewright.dynamodb.expressions.update import parse_projection, parse_update
from tablewright.dynamodb.values.attributes import AttributeValue, Item, admit_item, normalise
from tablewright.dynamodb.values.item_sizes import changed_size, item_size
from tablewright.errors import ValidationError
from tests.dynamodb.expressions.strategies import ATTRIBUTES, Stated, clauses, conditions, paths
from tests.dynamodb.values.strategies import scalars, values

NAMES = {"#n": "a", "#m": "deep"}

# All tokens of the grammar, and some that are not.
_PIECES = [
    *("a", "b", "#n", ":v", "size", "contains", "if_not_exists", "list_append", "status", "f", "0", "17"),
    *("(", ")", "[", "]", ".", ",", "=", "<>", "<", "<=", ">", ">=", "+", "-", " "),
    *("AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE", "#", ":", "_", "é", '"', "\n"),
]
gibberish = st.lists(st.sampled_from(_PIECES), max_size=25).map(" ".join) | st.text(max_size=30)


def admitted_items() -> st.SearchStrategy[Item]:
    """Items with the few attributes that the expressions use."""
    flat = st.dictionaries(st.sampled_from(ATTRIBUTES), values(), max_size=4)
    nested = st.fixed_dictionaries(
        {
            "deep": st.builds(
                lambda members, elements: {"M": {**members, "b": {"L": elements}}},
                st.dictionaries(st.sampled_from(ATTRIBUTES), values(), max_size=3),
                st.lists(values(), max_size=4),
            )
        }
    )
    return (flat | nested).map(lambda item: admit_item(item)[0])


@given(conditions())
def test_a_condition_is_parsed_to_the_tree_it_states(stated: Stated) -> None:
    text, node = stated
    assert parse_condition(text, "FilterExpression") == node


@given(st.lists(paths(), min_size=1, max_size=5))
def test_a_projection_is_parsed_to_the_paths_it_states(stated: list[tuple[str, Path]]) -> None:
    assert parse_projection(" , ".join(text for text, _ in stated)) == tuple(path for _, path in stated)


@given(gibberish)
def test_any_text_is_parsed_or_rejected(text: str) -> None:
    for parse in (lambda: parse_condition(text, "FilterExpression"), lambda: parse_update(text)):
        with suppress(ValidationError):
            parse()


@given(clauses(), clauses(), admitted_items(), st.lists(scalars(), min_size=3, max_size=3))
def test_the_laws_of_logic(one: Stated, two: Stated, item: Item, three: list[AttributeValue]) -> None:
    given_values = {name: normalise(value) for name, value in zip((":v", ":w", ":x"), three, strict=True)}

    def holds(text: str) -> bool:
        return condition(text, Scope(NAMES, given_values)).matches(item)

    try:
        first, second = holds(one[0]), holds(two[0])
    except ValidationError:
        return
    assert holds(f"NOT {one[0]}") is not first
    assert holds(f"{one[0]} AND {two[0]}") is (first and second)
    assert holds(f"{one[0]} OR {two[0]}") is (first or second)
    assert holds(f"NOT ({one[0]} AND {two[0]})") is holds(f"NOT {one[0]} OR NOT {two[0]}")
    assert holds(f"{one[0]} OR NOT {one[0]}")


_UPDATES = (
    "SET a = :v",
    "SET a = b, b = a",
    "SET deep.a = :v, deep.b[0] = :w REMOVE deep.b[2], deep.c",
    "SET deep.b[9] = :v, deep.b[7] = :w",
    "SET a = list_append(deep.b, deep.b), deep.b[0] = :v",
    "SET a = if_not_exists(a, :v), b = if_not_exists(deep.q, :w)",
    "SET b = deep, deep.a = :v",
    "REMOVE a, b, deep.a",
    "REMOVE deep.b[0], deep.b[1]",
    "SET a = a + :one",
    "ADD a :one, deep.a :one",
    "DELETE a :set, deep.a :set",
    "ADD a :set",
)


@given(st.sampled_from(_UPDATES), admitted_items(), values(), values())
def test_an_update_never_changes_what_it_is_given(
    text: str, item: Item, one: AttributeValue, other: AttributeValue
) -> None:
    change = update(
        text, Scope(None, {":v": one, ":w": other, ":one": {"N": "1"}, ":set": {"SS": ["a", "b"]}})
    )
    before = deepcopy(item)
    try:
        changed = change.apply(item)
    except ValidationError:
        assert item == before
        return
    assert item == before
    assert {name: changed[name] for name in changed if name not in change.actions.attributes} == {
        name: item[name] for name in item if name not in change.actions.attributes
    }
    gained = changed_size(item, changed, change.actions.attributes)
    assert item_size(changed) == item_size(item) + gained
    after = deepcopy(changed)
    with suppress(ValidationError):
        change.apply(changed)
    assert (item, changed) == (before, after)


@given(admitted_items())
def test_projecting_every_attribute_gives_the_item(item: Item) -> None:
    assert Projection(tuple(Path((name,)) for name in item)).of(item) == item


@given(st.lists(paths(), min_size=1, max_size=4), admitted_items())
def test_projecting_twice_changes_nothing(stated: list[tuple[str, Path]], item: Item) -> None:
    try:
        chosen = projection(",".join(text for text, _ in stated), Scope(NAMES))
    except ValidationError:
        return
    part = chosen.of(item)
    assert part.keys() <= item.keys()
    if not any(isinstance(step, int) for path in chosen.paths for step in path.parts):
        assert chosen.of(part) == part


@given(clauses())
def test_a_key_condition_is_read_or_rejected(stated: Stated) -> None:
    scope = Scope(NAMES, {":v": {"S": "x"}, ":w": {"S": "y"}, ":x": {"S": "z"}})
    try:
        found = key_condition(stated[0], scope).match(["a"], ["b"], {"a": "S", "b": "S"})
    except ValidationError:
        return
    assert found.hash_values


def test_parsing_is_done_once() -> None:
    assert parse_update("SET cached = :v") is parse_update("SET cached = :v")
    with pytest.raises(ValidationError):
        parse_update("SET")


@given(
    conditions(),
    admitted_items(),
    st.lists(scalars() | values(), min_size=3, max_size=3),
    st.lists(scalars() | values(), min_size=3, max_size=3),
)
def test_a_prepared_condition_is_the_bound_condition(
    stated: Stated, item: Item, first: list[AttributeValue], second: list[AttributeValue]
) -> None:
    """The second request finds what the first one left in the cache, valid or not."""
    text, kind = stated[0], "ConditionExpression"
    for given_values in (first, second, first):
        named = {name: normalise(value) for name, value in zip((":v", ":w", ":x"), given_values, strict=True)}
        outcomes: list[tuple[object, ...]] = []
        for understand in (condition, bound_condition):
            scope = Scope(NAMES, named)
            try:
                understood = understand(text, scope, kind)
            except ValidationError as error:
                outcomes.append((error.message, error.older))
            else:
                facts = (understood.attributes, understood.nested_attributes, scope.used)
                outcomes.append((understood.matches(item), understood.matches(None), facts))
        assert outcomes[0] == outcomes[1]
