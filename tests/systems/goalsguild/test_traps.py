"""The traps of document 003 about names, keys and items, each by its number in the inventory."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from tablewright import Clock, Repository, errors
from tablewright_systems.api_errors import (
    Conflict,
    Forbidden,
    Invalid,
)
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design import design
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    NicknameOwner,
    ProfileByEmail,
    ProfileByNickname,
    Tier,
)
from tablewright_systems.goalsguild.service import (
    goals,
    tasks,
    users,
)
from tests.systems.goalsguild.fixtures import ADMIN, assert_consistent, items, keys, raw, token_holder


def test_t1_the_lock_has_one_spelling(db: Repository, ada: Caller) -> None:
    assert ("EMAIL#ada@example.org", "UNIQUE#USER") in keys(db)
    assert not [sort for _, sort in keys(db) if ">" in sort]


def test_t3_t37_locks_hold_the_folded_name_and_no_key_of_an_index(db: Repository) -> None:
    users.register(db, token_holder("u", "Ada.L@Example.org"), nickname="AdaL", full_name="Ada")
    for partition, name, text in (
        ("EMAIL#ada.l@example.org", "email", "ada.l@example.org"),
        ("NICK#adal", "nickname", "adal"),
    ):
        lock = raw(db, partition, "UNIQUE#USER")
        assert lock[name] == {"S": text}
        assert lock["userId"] == {"S": "u"}
        assert not [attribute for attribute in lock if attribute.startswith("GSI")]


def test_t4_keys_and_locks_follow_a_change_of_names(db: Repository, ada: Caller) -> None:
    users.adopt_email(db, token_holder("ada", "Lovelace@example.org"))
    users.change_nickname(db, ada, "lovelace")
    item = raw(db, "USER#ada", "PROFILE#ada")
    assert (item["email"]["S"], item["GSI3PK"]["S"]) == ("Lovelace@example.org", "EMAIL#lovelace@example.org")
    assert item["GSI2PK"]["S"] == "NICK#lovelace"
    assert db.run(ProfileByEmail(email="ada@example.org")) is None
    assert db.run(EmailOwner(email="ada@example.org")) is None
    assert_consistent(db)


def test_t4_a_name_that_is_taken_changes_nothing(db: Repository, ada: Caller, bob: Caller) -> None:
    before = items(db)
    with pytest.raises(Conflict) as refusal:
        users.adopt_email(db, token_holder("bob", "ADA@example.org"))
    assert refusal.value.field == "email"
    assert items(db) == before


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Ada.L", "ADA.l"),
        ("Stra\N{LATIN SMALL LETTER SHARP S}e", "STRASSE"),
        ("e\u0301va", "\u00c9VA"),
        ("\uff21da", "ada"),
    ],
)
def test_t5_names_that_people_take_for_the_same_are_the_same(db: Repository, first: str, second: str) -> None:
    user = users.register(db, token_holder("one"), nickname=first, full_name="One")
    assert user.nickname == first
    with pytest.raises(Conflict) as refusal:
        users.register(db, token_holder("two"), nickname=second, full_name="Two")
    assert refusal.value.field == "nickname"
    assert db.run(ProfileByNickname(nickname=second)) == user
    assert users.change_nickname(db, Caller("one"), second).nickname == second
    assert_consistent(db)


def test_t18_an_index_with_two_owners_of_an_address_is_noticed(
    db: Repository, ada: Caller, bob: Caller
) -> None:
    stray = {**raw(db, "USER#bob", "PROFILE#bob"), "GSI3PK": {"S": "EMAIL#ada@example.org"}}
    db.connection.call("PutItem", {"TableName": "gg_core", "Item": stray})
    with pytest.raises(errors.SeveralFound):
        users.profile_by_email(db, ADMIN, "ada@example.org")


def test_t26_t36_keys_of_a_profile_stay_while_status_and_tier_change(
    db: Repository, clock: Clock, ada: Caller
) -> None:
    before = raw(db, "USER#ada", "PROFILE#ada")
    clock.advance(1)
    users.change_tier(db, ADMIN, "ada", Tier.PRO)
    users.suspend(db, ADMIN, "ada")
    users.reinstate(db, ADMIN, "ada")
    after = users.change_profile(db, ada, {"bio": "mathematician"})
    item = raw(db, "USER#ada", "PROFILE#ada")
    assert {name: item[name] for name in item if name.startswith("GSI") or name == "createdAt"} == {
        name: before[name] for name in before if name.startswith("GSI") or name == "createdAt"
    }
    assert (after.updated_at - after.created_at, after.tier) == (timedelta(seconds=1), Tier.PRO)
    for deed in (users.suspend, users.reinstate):
        with pytest.raises(Forbidden):
            deed(db, ada, "ada")


def test_t34_other_rows_of_an_index_of_lookups_do_not_leak(db: Repository, ada: Caller) -> None:
    later = {
        "PK": {"S": "COMPANY#c1"},
        "SK": {"S": "META"},
        "type": {"S": "Company"},
        "GSI3PK": {"S": "EMAIL#ada@example.org"},
        "GSI3SK": {"S": "COMPANY#c1"},
        "GSI2PK": {"S": "NICK#ada"},
        "GSI2SK": {"S": "COMPANY#c1"},
    }
    db.connection.call("PutItem", {"TableName": "gg_core", "Item": later})
    assert users.profile_by_email(db, ADMIN, "ada@example.org").id == "ada"
    assert users.profile_by_nickname(db, ada, "ada").id == "ada"


@pytest.mark.parametrize(
    "names",
    [
        {"email": "no address"},
        {"email": "a@b"},
        {"nickname": "a"},
        {"nickname": "has blank"},
        {"nickname": "a#b"},
        {"nickname": "\u200b\u200b"},
        {"full_name": ""},
    ],
)
def test_names_that_are_none_are_refused(db: Repository, names: dict[str, str]) -> None:
    whole = {"email": "ok@example.org", "nickname": "okay", "full_name": "Ok"} | names
    caller = token_holder("u", whole.pop("email"))
    with pytest.raises(ValidationError):
        users.register(db, caller, **whole)
    assert items(db) == []


@pytest.mark.parametrize("claims", [{}, {"email": 1}, {"email": "u@example.org", "email_verified": False}])
def test_an_address_that_nobody_vouches_for_is_refused(
    db: Repository, ada: Caller, claims: dict[str, Any]
) -> None:
    before = items(db)
    with pytest.raises(Invalid) as refusal:
        users.register(db, Caller("u", claims), nickname="uu", full_name="U")
    assert refusal.value.field == "email"
    with pytest.raises(Invalid):
        users.adopt_email(db, Caller("ada", claims))
    assert items(db) == before


def test_an_address_is_no_way_to_find_somebody(db: Repository, ada: Caller, bob: Caller) -> None:
    with pytest.raises(Forbidden):
        users.profile_by_email(db, bob, "ada@example.org")
    assert set(users.profile_by_nickname(db, bob, "ada").model_dump()) == {
        "id",
        "nickname",
        "bio",
        "tags",
        "created_at",
    }
    assert not users.is_free(db, bob, "email", "ADA@example.org")
    assert users.is_free(db, bob, "nickname", "eve")
    assert db.run(NicknameOwner(nickname="ada")) is not None


def test_every_item_says_what_it_is(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run", tags=["sport"])
    tasks.create_task(db, ada, goal.id, title="train")
    assert {item["type"]["S"] for item in items(db)} == {
        "EmailUnique",
        "Goal",
        "GoalTag",
        "NickUnique",
        "Progress",
        "Task",
        "User",
    }


def test_no_entity_of_the_document_is_missing() -> None:
    named = {"User", "EmailUnique", "Goal", "Task", "Milestone", "Message", "AssistMsg", "Offer"}
    assert named <= {kind.layout.type_name for kind in design.entities_of(core)}
    assert (core.ttl, core.stream) == ("ttl", "NEW_AND_OLD_IMAGES")
    assert [index.name for index in core.indexes] == [f"GSI{number}" for number in range(1, 7)]
