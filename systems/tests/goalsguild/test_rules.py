"""The rules of GoalsGuild about names, keys and items, each by its number in REQUIREMENTS.md."""

from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from tablewright_systems.goalsguild.design import design
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    NicknameOwner,
    ProfileByEmail,
    ProfileByNickname,
    Tier,
    User,
)
from tablewright_systems.goalsguild.service import goals, users
from tablewright_systems.goalsguild.service.users import Registration
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid

from systems.tests.goalsguild.fixtures import ADMIN, assert_consistent, items, keys, raw, token_holder
from tablewright import Clock, Repository, errors


def test_r1_lock_has_one_key_format(db: Repository, ada: Caller) -> None:
    assert ("EMAIL#ada@example.org", "UNIQUE#USER") in keys(db)
    assert not [sort for _, sort in keys(db) if ">" in sort]


def test_r3_r37_locks_have_the_folded_name_and_no_index_keys(db: Repository) -> None:
    users.register(db, token_holder("u", "Ada.L@Example.org"), nickname="AdaL", full_name="Ada")
    for partition, name, text in (
        ("EMAIL#ada.l@example.org", "email", "ada.l@example.org"),
        ("NICK#adal", "nickname", "adal"),
    ):
        lock = raw(db, partition, "UNIQUE#USER")
        assert lock == {
            "PK": {"S": partition},
            "SK": {"S": "UNIQUE#USER"},
            "type": {"S": "EmailUnique" if name == "email" else "NickUnique"},
            name: {"S": text},
            "userId": {"S": "u"},
            "createdAt": raw(db, "USER#u", "PROFILE#u")["createdAt"],
        }


def test_r4_keys_and_locks_follow_a_rename(db: Repository, ada: Caller) -> None:
    users.adopt_email(db, token_holder("ada", "Lovelace@example.org"))
    users.change_nickname(db, ada, "lovelace")
    item = raw(db, "USER#ada", "PROFILE#ada")
    assert (item["email"]["S"], item["GSI3PK"]["S"]) == ("Lovelace@example.org", "EMAIL#lovelace@example.org")
    assert item["GSI2PK"]["S"] == "NICK#lovelace"
    assert db.run(ProfileByEmail(email="ada@example.org")) is None
    assert db.run(EmailOwner(email="ada@example.org")) is None
    assert_consistent(db)


def test_r4_taken_name_changes_nothing(db: Repository, ada: Caller, bob: Caller) -> None:
    before = items(db)
    with pytest.raises(Conflict) as error:
        users.adopt_email(db, token_holder("bob", "ADA@example.org"))
    assert error.value.field == "email"
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
def test_r5_similar_names_are_equal(db: Repository, first: str, second: str) -> None:
    user = users.register(db, token_holder("one"), nickname=first, full_name="One")
    assert user.nickname == first
    with pytest.raises(Conflict) as error:
        users.register(db, token_holder("two"), nickname=second, full_name="Two")
    assert error.value.field == "nickname"
    assert db.run(ProfileByNickname(nickname=second)) == user
    assert users.change_nickname(db, Caller("one"), second).nickname == second
    assert_consistent(db)


def test_r18_of_two_users_with_an_address_the_one_with_the_lock_is_found(
    db: Repository, ada: Caller, bob: Caller
) -> None:
    stray = {**raw(db, "USER#bob", "PROFILE#bob"), "GSI3PK": {"S": "EMAIL#ada@example.org"}}
    db.connection.call("PutItem", {"TableName": "gg_core", "Item": stray})
    with pytest.raises(errors.SeveralFound):
        db.run(ProfileByEmail(email="ada@example.org"))
    assert users.profile_by_email(db, ADMIN, "ada@example.org").id == "ada"


def test_r26_r36_profile_keys_do_not_depend_on_status_and_tier(
    db: Repository, clock: Clock, ada: Caller
) -> None:
    before = raw(db, "USER#ada", "PROFILE#ada")
    clock.advance(1)
    users.change_tier(db, ADMIN, "ada", Tier.PRO)
    users.suspend(db, ADMIN, "ada")
    users.reinstate(db, ADMIN, "ada")
    after = users.change_profile(db, ada, bio="mathematician")
    item = raw(db, "USER#ada", "PROFILE#ada")
    assert {name: item[name] for name in item if name.startswith("GSI") or name == "createdAt"} == {
        name: before[name] for name in before if name.startswith("GSI") or name == "createdAt"
    }
    assert (after.updated_at - after.created_at, after.tier) == (timedelta(seconds=1), Tier.PRO)
    for action in (users.suspend, users.reinstate):
        with pytest.raises(Forbidden):
            action(db, ada, "ada")


def test_r34_lookup_returns_profiles_only(db: Repository, ada: Caller) -> None:
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
    assert users.profile_by_nickname(db, "ada").id == "ada"


@pytest.mark.parametrize(
    "names",
    [
        {"email": "no address"},
        {"email": "a@b"},
        {"email": "a\u0000@example.org"},
        {"email": "a\uff20b@example.org"},
        {"nickname": "a"},
        {"nickname": "has blank"},
        {"nickname": "a#b"},
        {"nickname": "\u200b\u200b"},
        {"nickname": "ada\u202e"},
        {"full_name": "Ada\u0000"},
        {"full_name": "Ada\u2066 Lovelace"},
        {"full_name": ""},
    ],
)
def test_invalid_names_are_rejected(db: Repository, names: dict[str, str]) -> None:
    whole = {"email": "ok@example.org", "nickname": "okay", "full_name": "Ok"} | names
    caller = token_holder("u", whole.pop("email"))
    with pytest.raises((Invalid, ValidationError)):
        users.register(db, caller, **Registration.model_validate(whole).sent())
    assert items(db) == []


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"email": 1, "email_verified": True},
        {"email": "u@example.org"},
        {"email": "u@example.org", "email_verified": False},
    ],
)
def test_unverified_address_is_rejected(db: Repository, ada: Caller, claims: dict[str, Any]) -> None:
    before = items(db)
    with pytest.raises(Invalid) as error:
        users.register(db, Caller("u", claims), nickname="uu", full_name="U")
    assert error.value.field == "email"
    with pytest.raises(Invalid):
        users.adopt_email(db, Caller("ada", claims))
    assert items(db) == before


def test_address_does_not_reveal_a_user(db: Repository, ada: Caller, bob: Caller) -> None:
    with pytest.raises(Forbidden):
        users.profile_by_email(db, bob, "ada@example.org")
    assert set(users.PublicProfile.model_fields) == {
        "id",
        "nickname",
        "bio",
        "tags",
        "created_at",
    }
    assert not users.is_free(db, "email", "ADA@example.org")
    assert users.is_free(db, "nickname", "eve")
    assert db.run(NicknameOwner(nickname="ada")) is not None


def test_every_item_has_a_type(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run", tags=["sport"])
    goals.create_task(db, ada, goal.id, title="train")
    assert {item["type"]["S"] for item in items(db)} == {
        "EmailUnique",
        "Goal",
        "GoalTag",
        "NickUnique",
        "Progress",
        "Task",
        "User",
    }


def test_every_entity_of_the_document_exists() -> None:
    named = {"User", "Goal", "Task", "Milestone", "Message", "AssistMsg", "Offer"}
    assert named <= {kind.layout.type_name for kind in design.entities_of(core)}
    assert {lock.type_name for lock in User.layout.locks} == {"EmailUnique", "NickUnique"}
    assert (core.ttl, core.stream) == ("ttl", "NEW_AND_OLD_IMAGES")
    assert [index.name for index in core.indexes] == [f"GSI{number}" for number in range(1, 7)]
