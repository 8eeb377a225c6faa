"""Settings of the wrong type, and a Find without an index: the message has the fix."""

from typing import Any

import pytest

from tablewright import BatchGet, Entity, Find, Get, Index, Keys, Query, Scan, Table, fields
from tablewright.errors import DesignError
from tests.design.definitions import define_pattern

main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK"), Index("by-mail", "email")])


class User(Entity, table=main, type="USER"):
    user_id: str
    email: str
    visits: int = 0
    keys = Keys(primary=("USER#{user_id}", "PROFILE"), GSI1="VISITS#{visits}")


class Other(Entity, table=main, type="OTHER"):
    user_id: str
    visits: int = 0
    keys = Keys(primary=("OTHER#{user_id}", "PROFILE"))


OF_USER: dict[str, Any] = {"key": "PK = USER#{user_id}"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"filter": True},
            'Things has a filter that is a bool; write it as text, such as "visits > {least}", or as a condition: '
            "User.visits > fields.parameter('least')",
        ),
        (
            {"key": User.user_id == "x"},
            'Things has a condition as its key; write it as text: key = "PK = USER#{user_id}"',
        ),
        ({"key": ("USER#{user_id}", "PROFILE")}, "Things has a key that is a tuple; write it as text"),
        ({"page_size": 0}, "Things has page_size = 0; write a number, such as page_size = 20"),
        ({"page_size": "20"}, "Things has page_size = '20'; write a number, such as page_size = 20"),
        (
            {"expected_items": -1},
            "Things has expected_items = -1; write a number, such as expected_items = 20",
        ),
        ({"key": "PK == USER#{user_id}"}, "has ==, which is not an operator of DynamoDB; write ="),
        ({"reverse": True}, "Things has reverse = True; write descending = True"),
        ({"limit": 5}, "Things has limit = 5; write page_size = 5"),
        ({"fields": "email"}, 'Things has fields = "email"; write a tuple: fields = ("email",)'),
        (
            {"fields": ("emial",)},
            "Things returns the field emial, which is not a field of User; did you mean email?",
        ),
        (
            {"filter": "visit > {user_id}"},
            'has the filter "visit > {user_id}": visit is not a field of User; did you mean',
        ),
        (
            {"filter": Other.visits > 3},
            'has the filter "Other.visits > 3": the condition uses Other.visits, but the items are User',
        ),
        (
            {"filter": User.visits > fields.parameter("least")},
            "has the filter \"User.visits > fields.parameter('least')\", which needs least; add it as a parameter",
        ),
        (
            {"filter": User.visits > fields.parameter("user_id")},
            "which compares visits with {user_id}: visits is a number and never matches text",
        ),
    ],
)
def test_settings_of_the_wrong_type(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(DesignError) as raised:
        define_pattern(Query, User, {"user_id": str}, **{**OF_USER, **settings})
    assert message in str(raised.value)


def test_a_filter_has_parameters_in_braces() -> None:
    found: Any = define_pattern(
        Query, User, {"user_id": str, "least": int}, **OF_USER, filter="visits > {least}"
    )
    assert found.__plan__.filter.parameters == ("least",)
    with pytest.raises(DesignError, match=r":least is not how a filter names a parameter; write \{least\}"):
        define_pattern(Query, User, {"user_id": str, "least": int}, **OF_USER, filter="visits > :least")


@pytest.mark.parametrize("base", [Get, BatchGet])
def test_a_pattern_without_a_query_has_no_filter(base: Any) -> None:
    with pytest.raises(DesignError, match=r"Things has a filter, but a .*Get reads items by their keys"):
        define_pattern(base, User, {"user_id": str}, filter="visits > 3")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"email": str}, 'Things finds one User by email, without an index; set index = "by-mail"'),
        ({"visits": int}, 'Things finds one User by visits, without an index; set index = "GSI1"'),
        ({"name": str}, "add an index for these parameters and set index = ...; main has: GSI1, by-mail"),
    ],
)
def test_a_find_without_an_index(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(DesignError) as raised:
        define_pattern(Find, User, parameters)
    assert message in str(raised.value)


def test_a_find_by_the_primary_key_needs_no_index() -> None:
    assert define_pattern(Find, User, {"user_id": str}).__plan__.index is None


def test_quotes_around_keys_are_recognised() -> None:
    quoted = define_pattern(Query, User, {"user_id": str}, key='PK = "USER#{user_id}" AND SK = "PROFILE"')
    plain = define_pattern(Query, User, {"user_id": str}, key="PK = USER#{user_id} AND SK = PROFILE")
    assert quoted.__plan__.clauses == plain.__plan__.clauses


def test_a_pattern_names_what_is_no_entity() -> None:
    with pytest.raises(
        DesignError, match=r"^Numbers returns int, which is not an Entity; write Query\[User\]$"
    ):

        class Numbers(Query[int]):
            pass


@pytest.mark.parametrize("base", [Get, Scan, BatchGet])
def test_descending_needs_a_pattern_with_an_order(base: Any) -> None:
    kind = base.__name__
    with pytest.raises(
        DesignError, match=f"Things has descending = True, but a {kind} has no order; remove it"
    ):
        define_pattern(base, User, {} if base is Scan else {"user_id": str}, descending=True)


def test_a_query_and_a_find_may_be_descending() -> None:
    assert define_pattern(Query, User, {"user_id": str}, descending=True).descending
    assert define_pattern(Find, User, {"email": str}, index="by-mail", descending=True).descending


def test_descending_is_a_boolean() -> None:
    with pytest.raises(DesignError, match="Things has descending = 'yes'; write descending = True"):
        define_pattern(Query, User, {"user_id": str}, descending="yes")


def test_the_former_name_of_descending_is_rejected() -> None:
    with pytest.raises(DesignError, match="Things has newest_first = True; write descending = True"):
        define_pattern(Query, User, {"user_id": str}, newest_first=True)


@pytest.mark.parametrize(
    ("ignored", "message"),
    [
        ("now", 'Things has cursor_ignores = "now"; write a tuple: cursor_ignores = ("now",)'),
        (
            ("until",),
            "has cursor_ignores with until, which is not a parameter; the parameters are: user_id, now",
        ),
        (("user_id",), "has cursor_ignores with user_id, but another user_id is another list"),
    ],
)
def test_a_cursor_ignores_only_parameters_of_a_range(ignored: Any, message: str) -> None:
    key = "PK = USER#{user_id} AND SK < {now}"
    parameters = {"user_id": str, "now": str}
    assert define_pattern(Query, User, parameters, key=key, cursor_ignores=("now",)).cursor_ignores == (
        "now",
    )
    with pytest.raises(DesignError) as raised:
        define_pattern(Query, User, parameters, key=key, cursor_ignores=ignored)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"items": 50}, "Things has items = 50; write expected_items = 50"),
        ({"newest_first": True}, "Things has newest_first = True; write descending = True"),
        ({"page_sise": 5}, "has page_sise = 5, which is not a setting; did you mean page_size?"),
        (
            {"colour": "x"},
            "has colour = 'x', which is not a setting; the settings are: consistent, cursor_ignores",
        ),
    ],
)
def test_settings_that_do_not_exist_are_rejected(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(DesignError) as raised:
        define_pattern(Query, User, {"user_id": str}, **settings)
    assert message in str(raised.value)


def test_a_setting_is_declared_without_a_type() -> None:
    with pytest.raises(
        DesignError, match=r"Typed declares the setting key with a type, .* write it without: key = 'PK"
    ):

        class Typed(Query[User]):
            user_id: str
            key: str = "PK = USER#{user_id}"  # type: ignore[misc]
